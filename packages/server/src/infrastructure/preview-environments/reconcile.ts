import { failures } from '@sluice/contract'
import { ExpressionError, render } from '@sluice/expressions'
import { cancelDeployment } from '../../delivery/deployments/execution/cancel-deployment.ts'
import type { OpenParts } from '../../git/code-sources/open.ts'
import { type Author, serviceAuthor } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { isEnding } from '../../identity/organizations/store.ts'
import { hasInfrastructure } from '../../modules/module-instances/infrastructure.ts'
import type { RunOrder } from '../../modules/module-instances/runs.ts'
import { lockModuleInstance, removeModuleInstance } from '../../modules/module-instances/store.ts'
import { hasUnreported, retireReleases } from '../../pipelines/git-releases/store.ts'
import { admitRun } from '../../pipelines/pipeline-runs/admit.ts'
import { advanceRun, type PassParts } from '../../pipelines/pipeline-runs/advance.ts'
import { requestCancel } from '../../pipelines/pipeline-runs/machine.ts'
import { messagesOf, type Recipients } from '../../pipelines/pipeline-runs/recipients.ts'
import { startRun } from '../../pipelines/pipeline-runs/start.ts'
import { findPipelineRun } from '../../pipelines/pipeline-runs/store.ts'
import { lockPipelineShared } from '../../pipelines/pipelines/store.ts'
import { runWithWorkerResults } from '../../platform/aside/answered.ts'
import { permissionsOn } from '../../platform/auth/access.ts'
import type { Db } from '../../platform/db/open.ts'
import { isTaken } from '../../platform/db/violations.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { FindDependents } from '../../platform/records.ts'
import { removeDefaultValuesOf } from '../../projects/default-values/store.ts'
import { lockEnvironment, removeEnvironment } from '../../projects/environments/store.ts'
import { accessOfPrincipal } from '../../projects/role-grants/access.ts'
import { hasHistory } from '../instance-runs/history.ts'
import { startInstanceRun } from '../instance-runs/start.ts'
import { createCopy, rootsOf, setCommit } from './copy.ts'
import { isToEnd, type Next, nextAction, type PreviewFacts, retryAfter } from './machine.ts'
import {
  findPreviewOf,
  findTemplate,
  hasRoomIn,
  inProgress,
  lockPreviewOf,
  type PreviewChanges,
  partsOf,
  savePreview,
  sleepUntil,
} from './store.ts'
import type { PreviewRow, PreviewTemplateRow } from './tables.ts'

export interface PreviewParts extends OpenParts, PassParts {
  /** Returns the URL of a console page. */
  linkTo: (page: string) => string
  /** Functions of higher layers, injected. */
  findDependents: FindDependents
  removeHistoryOfEnvironment: (tx: Db, organizationId: string, id: string) => Promise<void>
  removeUnusedStack: (tx: Db, organizationId: string, id: string) => Promise<void>
}

/** Maximum number of steps per reconciliation; the next one continues. */
const maxSteps = 10

/**
 * Advances a preview environment as far as possible. Each step is one transaction that locks and updates its row, so
 * that the next reconciliation can continue after a crash.
 */
export async function reconcilePreview(parts: PreviewParts, id: string): Promise<Message[]> {
  const messages: Message[] = []
  const found = await findPreviewOf(parts.db, id)
  if (!found) return messages
  for (let steps = 0; steps < maxSteps; steps += 1) {
    const { toNotify, isOver } = await step(parts, found)
    messages.push(...messagesOf(toNotify))
    if (isOver) break
  }
  return messages
}

/** Result of a step: messages to send, and whether nothing more can be done now. */
type Stepped = { toNotify: Partial<Recipients>; isOver: boolean }

async function step(parts: PreviewParts, { organizationId, id }: PreviewRow): Promise<Stepped> {
  const { db, clock } = parts
  return runWithWorkerResults(organizationId, () =>
    db.transaction(async (tx) => {
      const preview = await lockPreviewOf(tx, id)
      const template = preview && (await findTemplate(tx, preview.organizationId, preview.previewTemplateId))
      if (!preview || !template) return { toNotify: {}, isOver: true }
      const now = clock() // read after the lock was acquired
      const facts = await factsOf(tx, preview, template)
      return execute({ ...parts, db: tx }, { preview, template, facts, now }, nextAction(facts, now))
    }),
  )
}

async function factsOf(tx: Db, preview: PreviewRow, template: PreviewTemplateRow): Promise<PreviewFacts> {
  const { organizationId, environmentId, pipelineRunId } = preview
  const run = pipelineRunId === null ? undefined : await findPipelineRun(tx, organizationId, pipelineRunId)
  return {
    preview,
    parts: await partsOf(tx, organizationId, environmentId),
    hasRoom: environmentId !== null || (await hasRoomIn(tx, template)),
    hasPipeline: template.pipelineId !== null,
    run: run?.status,
  }
}

type Observation = { preview: PreviewRow; template: PreviewTemplateRow; facts: PreviewFacts; now: Date }

async function execute(parts: PreviewParts, look: Observation, next: Next): Promise<Stepped> {
  const { db: tx } = parts
  const { preview, now } = look
  const goOn = async (changes: PreviewChanges, toNotify: Partial<Recipients> = {}): Promise<Stepped> => {
    await savePreview(tx, preview, changes, now)
    return { toNotify, isOver: false }
  }
  switch (next.do) {
    case 'rest':
      if (preview.status === 'WAITING') await saveWaiting(tx, preview, now)
      await sleepUntil(tx, preview, next.until ?? null)
      return { toNotify: {}, isOver: true }
    case 'move':
      await note(tx, preview, 'move', { status: next.to, message: next.message })
      if (next.to === 'DESTROYING' && preview.environmentId !== null) {
        await retireReleases(tx, preview.organizationId, preview.environmentId, now)
      }
      return goOn({ status: next.to, message: next.message, ...changesOnTransition(next.to, preview, now) })
    case 'expire':
      await note(tx, preview, 'expire')
      return goOn({ endReason: 'EXPIRED' })
    case 'create':
    case 'begin':
    case 'start the pipeline':
      return build(parts, look, next.do)
    case 'call off':
      await sleepUntil(tx, preview, next.until)
      return { toNotify: await cancelInProgress(parts, look), isOver: true }
    case 'destroy':
      return destroy(parts, look, next.ids)
    case 'note a failed teardown':
      return goOn(failedTeardown(preview, next.message, now))
    case 'remove':
      return remove(parts, look)
  }
}

/** Returns further changes for a transition to this status. */
function changesOnTransition(
  status: PreviewRow['status'],
  { earlierUpMs, upSince }: PreviewRow,
  now: Date,
): PreviewChanges {
  if (status === 'DESTROYING') return { askedToGo: [], failedTeardowns: 0, retryAt: null, teardownFailedAt: null }
  if (status === 'WAITING') return { begunCommit: null, pipelineRunId: null }
  if (status !== 'DESTROYED' || upSince === null) return {}
  return { earlierUpMs: earlierUpMs + now.getTime() - upSince.getTime(), upSince: null }
}

async function saveWaiting(tx: Db, preview: PreviewRow, now: Date): Promise<void> {
  const message = 'The project has as many preview environments as it may have: it waits until one of them is gone.'
  if (preview.message !== message) await savePreview(tx, preview, { message }, now)
}

const resourceType = 'preview-environment'

export const authorOfPreviews = (organizationId: string): Author => ({
  ...serviceAuthor(organizationId),
  actorId: 'preview-environments',
  actorName: 'Preview environments',
})

function note(tx: Db, { id, organizationId, status }: PreviewRow, verb: string, details: object = {}): Promise<void> {
  const change = { action: `preview-environments.${verb}`, resourceType, resourceId: id }
  return recordChange(tx, authorOfPreviews(organizationId), { ...change, details: { ...details }, before: { status } })
}

const orderOf = ({ preview, template, now }: Observation): RunOrder => ({
  author: authorOfPreviews(preview.organizationId),
  isAutoApproved: true,
  triggerSource: 'PUSH',
  triggeredBy: triggeredBy(preview, template),
  now,
})

const triggeredBy = ({ number, askedBy }: PreviewRow, { writtenBy }: PreviewTemplateRow): string =>
  `${askedBy}, by the pull request ${number}, for the preview template of ${writtenBy}`.slice(0, 500)

type Build = 'create' | 'begin' | 'start the pipeline'

/** Starts the environment or its update. Errors are stored in the row, because no user waits for them. */
async function build(parts: PreviewParts, look: Observation, what: Build): Promise<Stepped> {
  const { db: tx, log } = parts
  const { preview, now } = look
  try {
    const { changes, toNotify } = await tx.transaction(async (savepoint) => {
      await requireBuildPermission({ ...parts, db: savepoint }, look)
      return what === 'start the pipeline' ? startPipeline(savepoint, look) : makeOrSet(savepoint, parts, look, what)
    })
    await note(tx, preview, what === 'start the pipeline' ? 'start-pipeline' : what, { commit: preview.commit })
    await savePreview(tx, preview, changes, now)
    return { toNotify, isOver: false }
  } catch (error) {
    const message = inWords(error)
    if (message === undefined) throw error
    log.info({ previewEnvironmentId: preview.id, reason: message }, 'a preview environment could not be made')
    if (error instanceof ApiError && error.key === 'rateLimited') return later(tx, preview, now)
    const failed = { status: 'FAILED', message, begunCommit: preview.commit } as const
    await note(tx, preview, 'move', failed)
    await savePreview(tx, preview, failed, now)
    return { toNotify: {}, isOver: false }
  }
}

/** Delay before a retry after an organization limit prevented the start, in milliseconds. */
const limitedMs = 30_000

async function later(tx: Db, preview: PreviewRow, now: Date): Promise<Stepped> {
  await sleepUntil(tx, preview, new Date(now.getTime() + limitedMs))
  return { toNotify: {}, isOver: true }
}

async function makeOrSet(tx: Db, parts: PreviewParts, look: Observation, what: Exclude<Build, 'start the pipeline'>) {
  const { preview, template, now } = look
  const begun = { status: 'CREATING', message: null, begunCommit: preview.commit, pipelineRunId: null } as const
  if (preview.environmentId !== null && what === 'begin') {
    const runs = await setCommit(tx, { template, preview }, preview.environmentId, orderOf(look))
    // An older commit's run would otherwise release after the newer one.
    const notified =
      preview.pipelineRunId &&
      (await cancelRun({ ...parts, db: tx }, preview, preview.pipelineRunId, 'A newer commit was pushed.'))
    return { changes: begun, toNotify: both({ runs }, notified || {}) }
  }
  const { environmentId, runIds } = await createCopy(tx, { template, preview }, parts.seal, orderOf(look))
  return { changes: { ...begun, environmentId, upSince: preview.upSince ?? now }, toNotify: { runs: runIds } }
}

async function startPipeline(tx: Db, look: Observation) {
  const { preview, template, now } = look
  const { organizationId, environmentId, givenId, id, number, commit } = preview
  const pipeline = template.pipelineId && (await lockPipelineShared(tx, organizationId, template.pipelineId))
  if (!pipeline || environmentId === null) throw new Error(`${id} has no pipeline to start`)
  const roots = rootsOf(preview, { id: environmentId, givenId })
  const run = await startRun(
    tx,
    {
      organizationId,
      pipeline,
      inputs: render(template.pipelineInputs, roots, 'pipelineInputs') as Record<string, unknown>,
      description: `The preview environment ${givenId} of the pull request ${number} at ${commit.slice(0, 8)}`,
      trigger: { kind: 'push', payload: { preview_environment_id: id, number, commit } },
      author: authorOfPreviews(organizationId),
      triggerSource: 'PUSH',
      triggeredBy: triggeredBy(preview, template),
      actsFor: template.writtenById,
    },
    now,
  )
  return { changes: { pipelineRunId: run.id }, toNotify: { runs: [run.id, ...run.superseded] } }
}

/** Checks the current permissions of the template's last author, on whose behalf it acts. */
async function requireBuildPermission(
  { db: tx, limits }: PreviewParts,
  { preview, template }: Observation,
): Promise<void> {
  const { organizationId, projectId, writtenById, writtenBy, pipelineId } = template
  if (await isEnding(tx, organizationId))
    throw new ApiError('organizationEnding', 'The organization is scheduled for deletion.')
  await admitRun(limits, tx, organizationId)
  const access = await accessOfPrincipal(tx, organizationId, writtenById)
  const may = access && permissionsOn(access, { projectId })
  const needed = [
    'preview-templates:write',
    'module-instances:write',
    ...(pipelineId === null ? [] : (['pipeline-runs:write'] as const)),
  ] as const
  const missing = needed.find((permission) => !may?.has(permission))
  if (missing === undefined) return
  const message = `${writtenBy} wrote the template of ${preview.givenId} and no longer has ${missing} in the project. A user with that permission must save it again.`
  throw new ApiError('forbidden', message)
}

/** Returns the message and details of an API error or template error, or undefined for other errors. */
function inWords(error: unknown): string | undefined {
  if (error instanceof ExpressionError) return error.faults.map(({ path, message }) => `${path}: ${message}`).join(' ')
  if (isTaken(error, 'environments_project_given_id')) return 'There is another environment of this name.'
  if (!(error instanceof ApiError)) return undefined
  const items = (error.extras.details ?? []).flatMap(({ items }) => items ?? [])
  return [error.message, ...items].join(' ').slice(0, 2_000)
}

/** Cancels what is in progress: deployments roll back, and runs stop at their next step. */
async function cancelInProgress(
  parts: PreviewParts,
  { preview, facts, now }: Observation,
): Promise<Partial<Recipients>> {
  const { db: tx } = parts
  const { organizationId, pipelineRunId, askedToGo } = preview
  const author = authorOfPreviews(organizationId)
  const ids = facts.parts.flatMap((part) => (isToEnd(part, askedToGo) ? [part.id] : []))
  const { deploymentIds, runIds } = await inProgress(tx, organizationId, ids)
  for (const id of deploymentIds) await cancelDeployment(tx, author, id, now)
  let toNotify: Partial<Recipients> = { deployments: deploymentIds }
  for (const id of [...runIds, ...(pipelineRunId === null ? [] : [pipelineRunId])]) {
    toNotify = both(toNotify, await cancelRun(parts, preview, id, 'The preview environment is torn down.'))
  }
  return toNotify
}

async function cancelRun(
  parts: PreviewParts,
  { organizationId }: PreviewRow,
  id: string,
  message: string,
): Promise<Partial<Recipients>> {
  const { actorName: by } = authorOfPreviews(organizationId)
  const error = { code: failures.runCancelled.code, message }
  const looked = await advanceRun(parts, id, '', {
    change: (run, now) => (run.cancelRequest ? run : requestCancel(run, { by, at: now.toISOString(), error })),
    organizationId,
  })
  return both({ runs: [id] }, looked?.told ?? {})
}

const both = (one: Partial<Recipients>, other: Partial<Recipients>): Partial<Recipients> => ({
  runs: [...(one.runs ?? []), ...(other.runs ?? [])],
  steps: [...(one.steps ?? []), ...(other.steps ?? [])],
  deployments: [...(one.deployments ?? []), ...(other.deployments ?? [])],
})

/** Destroys instances without dependents. Those without infrastructure are deleted immediately. */
async function destroy(parts: PreviewParts, look: Observation, ids: string[]): Promise<Stepped> {
  const { db: tx, log } = parts
  const { preview, now } = look
  const runs: string[] = []
  try {
    await tx.transaction(async (savepoint) => {
      for (const id of ids) runs.push(...(await destroyOne({ ...parts, db: savepoint }, look, id)))
    })
    await savePreview(tx, preview, { askedToGo: [...preview.askedToGo, ...ids], retryAt: null }, now)
    return { toNotify: { runs }, isOver: false }
  } catch (error) {
    const message = inWords(error)
    if (message === undefined) throw error
    log.info({ previewEnvironmentId: preview.id, reason: message }, 'a preview environment could not be torn down')
    await savePreview(tx, preview, failedTeardown(preview, message, now), now)
    return { toNotify: {}, isOver: false }
  }
}

async function destroyOne(
  { db: tx, removeUnusedStack }: PreviewParts,
  look: Observation,
  id: string,
): Promise<string[]> {
  const { organizationId } = look.preview
  const instance = await lockModuleInstance(tx, organizationId, id)
  if (!instance || instance.status === 'DESTROYED' || instance.status === 'DESTROYING') return []
  const change = { action: 'module-instances.delete', resourceType: 'module-instance', resourceId: id, of: instance }
  await recordChange(tx, authorOfPreviews(organizationId), change)
  if (await hasInfrastructure(tx, instance)) {
    return (await startInstanceRun(tx, instance, 'destroy', orderOf(look))).runIds
  }
  await removeModuleInstance(tx, organizationId, id, hasHistory)
  if (instance.stackId !== null) await removeUnusedStack(tx, organizationId, instance.stackId)
  return []
}

function failedTeardown({ failedTeardowns }: PreviewRow, message: string, now: Date): PreviewChanges {
  const failures = failedTeardowns + 1
  const again = { failedTeardowns: failures, retryAt: retryAfter(failures, now), teardownFailedAt: now }
  return { ...again, askedToGo: [], message: message.slice(0, 2_000) }
}

/** Maximum wait for reports to a Git host before the deletion, and the interval between checks, in milliseconds. */
const hostPatienceMs = 10 * 60_000
const hostSoonMs = 2_000

/** Deletes the empty environment with its history. */
async function remove({ db: tx, ...parts }: PreviewParts, { preview, now }: Observation): Promise<Stepped> {
  const { organizationId, environmentId } = preview
  if (environmentId === null) return { toNotify: {}, isOver: false }
  // Reports to the Git host come first, because nothing can correct its status once the history is deleted.
  const givenUpAt = new Date(preview.updatedAt.getTime() + hostPatienceMs)
  if (now < givenUpAt && (await hasUnreported(tx, organizationId, environmentId))) {
    await sleepUntil(tx, preview, new Date(now.getTime() + hostSoonMs))
    return { toNotify: {}, isOver: true }
  }
  const environment = await lockEnvironment(tx, organizationId, environmentId)
  const users = await parts.findDependents('environments', tx, organizationId, environmentId)
  if (users.length > 0) {
    const message = `The environment ${preview.givenId} is still used: ${users.join(', ')}.`
    await savePreview(tx, preview, failedTeardown(preview, message, now), now)
    return { toNotify: {}, isOver: false }
  }
  await removeDefaultValuesOf(tx, organizationId, environmentId)
  await parts.removeHistoryOfEnvironment(tx, organizationId, environmentId)
  await removeEnvironment(tx, organizationId, environmentId)
  const of = { projectId: environment?.projectId, environmentId }
  const change = { action: 'environments.delete', resourceType: 'environment', resourceId: environmentId, of }
  await recordChange(tx, authorOfPreviews(organizationId), { ...change, details: { previewEnvironmentId: preview.id } })
  const gone = { environmentId: null, message: null, failedTeardowns: 0, retryAt: null, askedToGo: [] }
  await savePreview(tx, preview, gone, now)
  return { toNotify: {}, isOver: false }
}
