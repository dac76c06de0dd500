import type { Db } from '../../platform/db/open.ts'
import type { PipelineTrigger } from '../pipeline-versions/config/schema.ts'
import { matchesGlob } from './glob.ts'
import { runsFor } from './runs-for.ts'
import type { TriggerParts } from './start-triggered.ts'

/** Commits that somebody pushed to a branch of a code source, or a tag. */
export type Push = {
  organizationId: string
  codeSourceId: string
  /** Undefined of a tag. */
  branch?: string | undefined
  tag?: string | undefined
  /** The last one; that of the tag. */
  commit: string
  /** Absent where the git host does not tell. */
  committedAt?: string | undefined
  author?: string | undefined
  authorEmail?: string | undefined
  message?: string | undefined
  /** Of the files that were added, changed or removed; null where the git host does not tell: then it may be any. */
  changedPaths: string[] | null
  /** For people. */
  pushedBy: string
}

type PushTrigger = Extract<PipelineTrigger, { type: 'push' }>

/** Whether a push is one of those that a trigger waits for. */
export function isTriggeredBy(
  { code_source_id, tags, branches = tags ? [] : ['**'], paths }: PushTrigger,
  { codeSourceId, branch, tag, changedPaths }: Pick<Push, 'codeSourceId' | 'branch' | 'tag' | 'changedPaths'>,
): boolean {
  if (code_source_id !== codeSourceId) return false
  if (tag !== undefined) return fits(tags ?? [], tag)
  return branch !== undefined && fits(branches, branch) && changesOne(paths, changedPaths)
}

export const fits = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => matchesGlob(pattern, name))

/** Whether one of these files was changed; null may be any. */
export const changesOne = (paths: readonly string[] | undefined, changed: readonly string[] | null): boolean =>
  !paths || changed === null || changed.some((path) => fits(paths, path))

/** What git calls who wrote the last commit of a push, where the host tells. */
export const authorsOf = ({
  authorEmail,
  author,
}: {
  authorEmail?: string | undefined
  author?: string | undefined
}): string[] => [authorEmail, author].filter((name) => name !== undefined)

/** A push of thousands of files is told by the first ones. */
export const toldPaths = 100

/** Starts a run of each pipeline that waits for the push; the ids of the runs that the engine is to be told of. */
export function runsForPush(tx: Db, push: Push, parts: TriggerParts, now: Date): Promise<string[]> {
  const { organizationId, codeSourceId, branch, tag, commit, committedAt, author, message, changedPaths, pushedBy } =
    push
  const payload = {
    code_source_id: codeSourceId,
    branch: branch ?? null,
    tag: tag ?? null,
    commit,
    committed_at: committedAt ?? null,
    author: author ?? null,
    message: message ?? null,
    changed_paths: changedPaths?.slice(0, toldPaths) ?? null,
  }
  const what = tag === undefined ? `a push to ${branch}` : `the tag ${tag}`
  const news = {
    organizationId,
    kind: 'push',
    codeSourceId,
    waits: (trigger: PipelineTrigger) => trigger.type === 'push' && isTriggeredBy(trigger, push),
    trigger: { kind: 'push', payload, authors: authorsOf(push) },
    triggeredBy: `${pushedBy}, by ${what}`,
  } as const
  return runsFor(tx, news, parts, now)
}
