import type { PullRequestEvent } from '../../pipelines/git-deliveries/process.ts'
import { matchesGlob } from '../../pipelines/pipeline-triggers/glob.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { isReopenedBy } from './machine.ts'
import { insertPreview, lockPreviewOfRequest, savePreview, templatesOf } from './store.ts'
import type { PreviewRow, PreviewTemplateRow } from './tables.ts'
import { toPreview } from './wake.ts'

/**
 * Updates the preview environments of a pull request after its event. Call it in the transaction that ends the
 * delivery, and send the returned messages.
 */
export async function previewsFor(tx: Db, news: PullRequestEvent, now: Date): Promise<Message[]> {
  const { organizationId, id } = news.source
  const touched: PreviewRow[] = []
  for (const template of await templatesOf(tx, organizationId, id)) {
    const before = await lockPreviewOfRequest(tx, template, news.event.number)
    const row = news.event.isOpen ? await opened(tx, { template, before, news, now }) : await closed(tx, before, now)
    if (row) touched.push(row)
  }
  return touched.map((row) => toPreview(row.id))
}

async function closed(tx: Db, before: PreviewRow | undefined, now: Date): Promise<PreviewRow | undefined> {
  if (!before || before.endReason === 'CLOSED') return undefined
  return savePreview(tx, before, { endReason: 'CLOSED', wakeAt: now }, now)
}

const actions = ['opened', 'reopened', 'synchronize'] as const

type Opened = { template: PreviewTemplateRow; before: PreviewRow | undefined; news: PullRequestEvent; now: Date }

async function opened(tx: Db, { template, before, news, now }: Opened): Promise<PreviewRow | undefined> {
  const { event } = news
  const action = actions.find((one) => one === event.request?.action)
  if (action === undefined || !event.request || !isAllowed(template, event.request)) return undefined
  const expiresAt = new Date(now.getTime() + template.lifetimeHours * 3_600_000)
  const latest = {
    branch: event.branch,
    commit: event.commit,
    askedBy: event.request.by,
    isFromFork: event.request.isFromFork,
    expiresAt,
    wakeAt: now,
  }
  if (before)
    return isReopenedBy(before, action) ? savePreview(tx, before, { ...latest, endReason: null }, now) : undefined
  if (!isFor(template, news)) return undefined
  const { organizationId, projectId, id, codeSourceId, namePattern } = template
  const givenId = namePattern.replace('{number}', String(event.number))
  return insertPreview(tx, {
    organizationId,
    projectId,
    previewTemplateId: id,
    codeSourceId,
    givenId,
    number: event.number,
    status: 'WAITING',
    ...latest,
  })
}

/**
 * Reports whether the template allows the pull request. Anyone can open one from a fork, and its builds run with the
 * organization's secrets.
 */
const isAllowed = ({ allowsForks }: PreviewTemplateRow, { isFromFork }: { isFromFork: boolean }): boolean =>
  allowsForks || !isFromFork

/** Reports whether a template applies to a pull request without a preview environment. */
function isFor({ branches, paths }: PreviewTemplateRow, { event, changedPaths }: PullRequestEvent): boolean {
  const into = event.request?.baseBranch ?? ''
  if (branches && !branches.some((glob) => matchesGlob(glob, into))) return false
  return !paths || changedPaths === null || changedPaths.some((path) => paths.some((glob) => matchesGlob(glob, path)))
}
