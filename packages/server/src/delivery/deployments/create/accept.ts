import type { TriggerSource } from '@sluice/contract'
import {
  type ConnectedAccount,
  findCloudConnection,
  findConnectionByNumber,
} from '../../../cloud/cloud-accounts/connection.ts'
import type { Author } from '../../../identity/audit-events/author.ts'
import { type Change, recordChange } from '../../../identity/audit-events/record.ts'
import type { ModuleInstanceRow } from '../../../modules/module-instances/tables.ts'
import type { Db } from '../../../platform/db/open.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { missing } from '../../../platform/http/references.ts'
import { newId } from '../../../platform/ids.ts'
import { present } from '../../../platform/present.ts'
import { findEnvironment } from '../../../projects/environments/store.ts'
import { type ImagesThatRan, pinPromotedImages } from '../../promotions/promoted-images.ts'
import { resourceType } from '../execution/decisions.ts'
import { expectAdmitted } from '../execution/gates.ts'
import { admit, isFinal } from '../execution/machine.ts'
import { later, type StoredData } from '../execution/state.ts'
import { supersedeDeployment } from '../execution/supersede.ts'
import {
  insertDeployment,
  isRollback,
  type LockedInstance,
  lockTarget,
  type NewDeployment,
  type Queue,
  readQueue,
} from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import type { AccountName, Replay } from '../types/deployment-type.ts'
import { typeOf } from '../types/deployment-types.ts'
import type { Release } from '../types/release.ts'
import { insertFirst } from './insert-first.ts'
import { queuedBehind } from './queued-behind.ts'
import type { Resolution, ResolvedDeployment } from './resolve.ts'
import { findTarget, resolveTarget } from './target.ts'

/** User or service account that requests a deployment, and the channel. */
export type Trigger = {
  author: Author
  /** Display name of the actor. For a pipeline run, the user who started it. */
  triggeredBy: string
  /** Id of the membership or service account; null if there is none, such as for the run of a push. */
  triggeredById: string | null
  source: TriggerSource
  /** Step of a pipeline run that requests the deployment. */
  pipelineRunId?: string
  stepExecutionId?: string
  /** Git names of the authors of the released commit, if known. */
  authors?: readonly string[]
  /** Limit on queued deployments of the organization; unlimited if absent. */
  admission?: Admission | undefined
}

/** Limit on the number of queued deployments of an organization. */
export type Admission = {
  /** Maximum number of queued deployments; unlimited if undefined. */
  most: number | undefined
  /** Rejects another deployment if the maximum number is queued. */
  expect(): Promise<void>
}

type Request = {
  moduleInstanceId: string
  description: string
  inputs: Record<string, unknown>
  promotedFromDeploymentId?: string
  /** For a promotion: the images that ran in the source environment. */
  ran?: ImagesThatRan
}

/**
 * Accepts a deployment: resolves what it releases, and adds it to the queue of its module instance in one transaction.
 * Rejects a deployment that could never succeed before anything is stored.
 */
export const acceptDeployment = async (
  db: Db,
  trigger: Trigger,
  request: Request,
  clock: () => Date,
): Promise<DeploymentRow> => enqueue(db, clock, trigger, await resolveNewDeployment(db, trigger, request, clock))

/** Returns a deployment that is not stored yet, with the release resolved. Rejects one that could never succeed. */
export async function resolveNewDeployment(
  db: Db,
  trigger: Trigger,
  request: Request,
  clock: () => Date,
): Promise<NewDeployment> {
  const { organizationId } = trigger.author
  const asked = { organizationId, ...present({ pipelineRunId: trigger.pipelineRunId }) }
  const { instance, release } = await resolveRelease(db, asked, request)
  return {
    ...newDeployment(trigger, release, clock()),
    moduleInstanceId: instance.id,
    projectId: instance.projectId,
    environmentId: instance.environmentId,
    description: request.description,
    inputs: request.inputs,
    instanceInput: instance.input,
    moduleVersionId: instance.moduleVersionId,
    promotedFromDeploymentId: request.promotedFromDeploymentId ?? null,
  }
}

/**
 * Resolves what a deployment of the instance with these inputs would release. Rejects a release that could never
 * succeed.
 */
export async function resolveRelease(
  db: Db,
  asked: { organizationId: string; pipelineRunId?: string },
  request: Pick<Request, 'moduleInstanceId' | 'inputs' | 'ran'>,
): Promise<{ instance: ModuleInstanceRow; release: Release }> {
  const { organizationId } = asked
  const found = await findTarget(db, organizationId, request.moduleInstanceId)
  if (!found) throw targetNotFound(request.moduleInstanceId)
  const { instance, resolution } = await resolveTarget(db, found, asked, request.inputs)
  const resolved = expectResolved(resolution, instance.givenId)
  const account = await accountNamed(db, organizationId, resolved)
  if (account.isProduction) await rejectPreviewInProduction(db, instance, account)
  const released = request.ran ? pinPromotedImages(resolved.release, request.ran).release : resolved.release
  return { instance, release: { ...released, cloudAccountId: account.id, queue: resolved.queue } }
}

async function accountNamed(db: Db, organizationId: string, name: AccountName): Promise<ConnectedAccount> {
  const account =
    'accountNumber' in name
      ? await findConnectionByNumber(db, organizationId, name.accountNumber)
      : await findCloudConnection(db, organizationId, name.cloudAccountId)
  if (account) return account
  const named = 'accountNumber' in name ? name.accountNumber : name.cloudAccountId
  throw new ApiError(
    'cloudAccountNotConnected',
    `The cloud account ${named} is not connected. Connect it, then deploy.`,
  )
}

/** Accepts a deployment that repeats the release of an earlier one, without rendering it again. */
export async function acceptRedeployment(
  db: Db,
  trigger: Trigger,
  source: DeploymentRow,
  clock: () => Date,
): Promise<DeploymentRow> {
  if (!isFinal(source.status)) {
    const message = `The deployment ${source.id} is ${source.status}; what it releases can be deployed again once it is over.`
    throw new ApiError('noStoredRelease', message)
  }
  await rejectPreviewReplay(db, source)
  const row = replayOf(source, 'redeployment', { ...trigger, id: newId('dep') }, clock())
  return enqueue(db, clock, trigger, { ...row, redeployOfDeploymentId: source.id })
}

/** Returns a new deployment that repeats the release of an earlier one. */
export function replayOf(
  source: DeploymentRow,
  as: Replay,
  trigger: Trigger & { id: string },
  now: Date,
): NewDeployment {
  const { release, known } = typeOf(source).replay(source, as)
  const { moduleInstanceId, projectId, environmentId, description, inputs, instanceInput, moduleVersionId } = source
  const row = newDeployment({ ...trigger, ...authorsOf(source) }, release, now, trigger.id)
  const data = { ...row.data, ...known } as StoredData // has the same deployment type as its source
  const place = { moduleInstanceId, projectId, environmentId }
  return { ...row, data, ...place, description, inputs, instanceInput, moduleVersionId }
}

/** Returns the authors of a deployment's release, which stay the same when the release is deployed again. */
export const authorsOf = ({ data: { authors } }: DeploymentRow): Pick<Trigger, 'authors'> => present({ authors })

/** Returns the resolved deployment. Throws the error if it could not be resolved. */
export function expectResolved(resolution: Resolution, instanceGivenId: string): ResolvedDeployment {
  switch (resolution.verdict) {
    case 'resolved':
      return resolution.deployment
    case 'no-deploy':
      throw new ApiError('moduleHasNoDeploy', `The module version of ${instanceGivenId} has no deploy block.`)
    case 'inputs-wrong':
      throw new ApiError('inputInvalid', 'The inputs do not match the module.', {
        details: [{ title: 'Inputs', render: 'list', items: resolution.faults }],
      })
    case 'release-wrong':
      throw new ApiError(
        'releaseInvalid',
        `The deploy block in the module version of ${instanceGivenId} results in an invalid release.`,
        {
          description: "Mend the module version's deploy block or the instance's inputs, whichever the list points to.",
          details: [{ title: 'Release', render: 'list', items: resolution.faults }],
        },
      )
  }
}

/** Rejects to repeat a preview's release in an account that has since been marked as a production account. */
export async function rejectPreviewReplay(db: Db, source: DeploymentRow): Promise<void> {
  const account = await findCloudConnection(db, source.organizationId, source.release.cloudAccountId)
  if (account?.isProduction) await rejectPreviewInProduction(db, source, account)
}

/** Rejects to release a pull request's preview to an account that is marked as a production account. */
async function rejectPreviewInProduction(
  db: Db,
  { organizationId, environmentId }: Pick<ModuleInstanceRow, 'organizationId' | 'environmentId'>,
  account: ConnectedAccount,
): Promise<void> {
  const environment = await findEnvironment(db, organizationId, environmentId)
  if (environment?.previewEnvironmentId == null) return
  const message = `What is in the preview environment ${environment.givenId} would be released to the cloud account ${account.id}, which is marked as production.`
  throw new ApiError('previewInProduction', message)
}

/**
 * Maximum time in the queue, in milliseconds: 30 days, which is the longest time that the cloud grants the deployment
 * before it.
 */
const maxQueueMs = 30 * 86_400_000
/** Time after which the reconciler detects a queued deployment whose message was lost, in milliseconds. */
const queueCheckMs = 5_000

type Place = 'moduleInstanceId' | 'projectId' | 'environmentId' | 'description' | 'inputs'

function newDeployment(trigger: Trigger, release: Release, now: Date, id = newId('dep')): Omit<NewDeployment, Place> {
  const { author, triggeredBy, triggeredById, authors = [] } = trigger
  const { data, ...begun } = typeOf({ release }).begin(release, { id, channel: author.channel, triggeredBy })
  return {
    id,
    organizationId: author.organizationId,
    status: 'PENDING',
    deploymentType: release.type,
    triggerSource: trigger.source,
    triggeredById,
    pipelineRunId: trigger.pipelineRunId ?? null,
    stepExecutionId: trigger.stepExecutionId ?? null,
    ...begun,
    data: authors.length > 0 ? { ...data, authors: [...authors] } : data,
    release,
    wakeAt: later(now, queueCheckMs),
    deadlineAt: later(now, maxQueueMs),
    waitingFor: 'its turn',
  }
}

/** Adds the deployment to the queue of its instance as the module's policy says. An empty queue always admits it. */
async function enqueue(
  db: Db,
  clock: () => Date,
  { author, admission }: Trigger,
  row: NewDeployment,
): Promise<DeploymentRow> {
  const now = clock()
  const first = { ...row, createdAt: now, updatedAt: now }
  const change = acceptanceChange(first)
  const inserted = await insertFirst(db, { row: first, author, change, mostQueued: admission?.most })
  if (inserted) return inserted
  await admission?.expect()
  return enqueueBehind(db, clock, author, row)
}

/** Adds the deployment to a queue that is not empty, in one transaction. */
async function enqueueBehind(db: Db, clock: () => Date, author: Author, row: NewDeployment): Promise<DeploymentRow> {
  return db.transaction(async (tx) => {
    const { isRuled } = await lockExistingTarget(tx, row.moduleInstanceId)
    const now = clock() // read after the lock is acquired, so that the queue has the order of the transactions
    const allowed = isRuled ? await expectAdmitted(tx, row, now) : row
    const queued = await readQueue(tx, row.moduleInstanceId)
    const { pending, admission } = admissionTo(queued, row.release)
    if (admission.accept === 'no') throw new ApiError('queueFull', queueFullMessage(pending, row.release))
    const leaving = admission.accept === 'waits' ? admission.superseded : []
    const staying = queued.pending.filter(({ id }) => !leaving.includes(id))
    const inserted = await insertNext(tx, author, queuedBehind(allowed, { ...queued, pending: staying }, now), now)
    const newest = pending.find(({ id }) => admission.accept === 'gives-way' && id === admission.to)
    if (newest) return supersedeDeployment(tx, author, { row: inserted, to: newest }, now)
    if (admission.accept !== 'waits') return inserted
    for (const one of pending.filter(({ id }) => admission.superseded.includes(id))) {
      await supersedeDeployment(tx, author, { row: one, to: inserted }, now)
    }
    return inserted
  })
}

/**
 * Decides whether a queue admits a release. `pending` are the deployments that it can supersede. A rollback is always
 * admitted and placed first, and no release supersedes it.
 */
export function admissionTo(queued: Queue, { queue }: Release) {
  const pending = queued.pending.filter((one) => !isRollback(one))
  const hasActive = queued.active !== undefined || pending.length < queued.pending.length
  const ids = pending.map(({ id }) => id)
  return { pending, admission: admit(queue, ids, hasActive) }
}

export const queueFullMessage = (pending: readonly DeploymentRow[], { queue }: Release): string =>
  `${pending.length} deployments of this module instance wait already, and its module lets ${queue.queueSize} wait.`

/** Stores a deployment at the end of the queue. Must be called while holding the lock of the target. */
export async function insertNext(tx: Db, author: Author, row: NewDeployment, now: Date): Promise<DeploymentRow> {
  const inserted = await insertDeployment(tx, { ...row, createdAt: now, updatedAt: now })
  await recordChange(tx, author, acceptanceChange(inserted))
  return inserted
}

/**
 * Returns the audit log entry of an accepted deployment. It has only the names of inputs, because inputs may contain
 * secrets.
 */
export function acceptanceChange(row: NewDeployment): Change {
  const { id, moduleInstanceId, description } = row
  const { redeployOfDeploymentId, rollbackToDeploymentId, promotedFromDeploymentId } = row
  const source = present({
    redeployOfDeploymentId: redeployOfDeploymentId ?? undefined,
    rollbackToDeploymentId: rollbackToDeploymentId ?? undefined,
    promotedFromDeploymentId: promotedFromDeploymentId ?? undefined,
  })
  const verb = rollbackToDeploymentId ? 'rollback' : redeployOfDeploymentId ? 'redeploy' : 'create'
  const details = { moduleInstanceId, description, inputs: Object.keys(row.inputs), ...source }
  return { action: `deployments.${verb}`, resourceType, resourceId: id, details }
}

/** Locks the module instance. Fails if the instance has been deleted since it was loaded. */
export async function lockExistingTarget(tx: Db, moduleInstanceId: string): Promise<LockedInstance> {
  const target = await lockTarget(tx, moduleInstanceId)
  if (!target) throw targetNotFound(moduleInstanceId)
  expectNotDestroyed(target.status, moduleInstanceId)
  return target
}

export function expectNotDestroyed(status: LockedInstance['status'], moduleInstanceId: string): void {
  if (status !== 'DESTROYED') return
  throw new ApiError('moduleInstanceDestroyed', `The module instance ${moduleInstanceId} has been destroyed.`)
}

export const targetNotFound = (id: string) => missing('moduleInstanceNotFound', 'module instance', id)
