import type { PreviewEnding, PreviewStatus } from '@sluice/contract'
import type { Comment } from '../../git/adapter/host.ts'
import { plain } from '../../pipelines/git-feedback/texts.ts'
import type { PreviewRow } from './tables.ts'

const said = {
  WAITING: 'Waits for room',
  CREATING: 'Is being made',
  READY: 'Ready',
  FAILED: 'Failed',
  DESTROYING: 'Is being torn down',
  DESTROYED: 'Gone',
} as const satisfies Record<PreviewStatus, string>

const because = {
  CLOSED: 'the pull request was closed',
  EXPIRED: 'it expired: push, or reopen the pull request, to create it again',
  ENDED: 'a user ended it: reopen the pull request to create it again',
} as const satisfies Record<PreviewEnding, string>

/** Link for the reader of a comment. */
export type Link = { label: string; url: string }

type PreviewForComment = Pick<
  PreviewRow,
  'previewTemplateId' | 'givenId' | 'status' | 'commit' | 'message' | 'endReason' | 'expiresAt'
>

/** Returns the pull request comment with the state and links of its preview environment. */
export function commentOf(preview: PreviewForComment, links: readonly Link[]): Comment {
  const { previewTemplateId, givenId, status, commit, message, endReason, expiresAt } = preview
  const isThere = status !== 'WAITING' && status !== 'DESTROYED'
  const head = `**Preview environment ${plain(givenId)}**: ${said[status]} at ${plain(commit.slice(0, 8))}`
  const why = endReason === null ? [] : ['', `It was removed: ${because[endReason]}.`]
  const shown = isThere ? links.map(({ label, url }) => `- [${plain(label)}](${encodeURI(decodeURI(url))})`) : []
  const until =
    endReason === null ? ['', `It is torn down at ${expiresAt.toISOString()} unless a user pushes or extends it.`] : []
  const lines = [head, ...(shown.length > 0 ? ['', ...shown] : []), ...quoted(message), ...why, ...until]
  return { marker: `<!-- sluice ${previewTemplateId} -->`, text: lines.join('\n') }
}

const quoted = (message: string | null): string[] => (message === null ? [] : ['', `> ${plain(message)}`])
