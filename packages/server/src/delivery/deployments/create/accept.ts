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
import { missing } from '../../../platform/http/references.ts'
import { Refusal } from '../../../platform/http/refusal.ts'
import { newId } from '../../../platform/ids.ts'
import { present } from '../../../platform/present.ts'
import { findEnvironment } from '../../../projects/environments/store.ts'
import { type ImagesThatRan, promoted } from '../../promotions/promoted-images.ts'
import { resourceType } from '../execution/decisions.ts'
import { expectAdmitted } from '../execution/gates.ts'
import { admit, isFinal } from '../execution/machine.ts'
import { type KeptData, later } from '../execution/state.ts'
import { giveWay } from '../execution/supersede.ts'
import {
  insertDeployment,
  isRollback,
  lockTarget,
  type NewDeployment,
  type Queue,
  readQueue,
  type Target,
} from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import type { AccountName, Replay } from '../types/deployment-type.ts'
import { kindOf } from '../types/deployment-types.ts'
import type { Release } from '../types/release.ts'
import { insertFirst } from './insert-first.ts'
import { queuedBehind } from './queued-behind.ts'
import type { Resolution, ResolvedDeployment } from './resolve.ts'
import { findTarget, resolveTarget } from './target.ts'

/** Who asks for a deployment, and by what. */
export type Trigger = {
  author: Author
  /** Who it is in the end, for people: of a pipeline run, who started that. */
  triggeredBy: string
  /** The membership or service account that is; null where nobody asked, such as for the run of a push. */
  triggeredById: string | null
  source: TriggerSource
  /** The step of a pipeline run that asks. */
  pipelineRunId?: string
  stepExecutionId?: string
  /** What git calls who wrote the commit that led to it, where that is known. */
  authors?: readonly string[]
  /** Without, any number may wait. */
  admission?: Admission | undefined
}

/** How many deployments of an organization may wait. */
export type Admission = {
  /** Together; undefined where any number may. */
  most: number | undefined
  /** Refuses one more where so many wait. */
  expect(): Promise<void>
}

type Request = {
  moduleInstanceId: string
  description: string
  inputs: Record<string, unknown>
  promotedFromDeploymentId?: string
  /** Of a promotion: what ran where it comes from. */
  ran?: ImagesThatRan
}

/**
 * Accepts a deployment: resolves what it releases and puts it into the queue of its module instance, in one
 * transaction. Refuses what could never be carried out, before anything is stored.
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
    ...{ instanceInput: instance.input, moduleVersionId: instance.moduleVersionId },
    promotedFromDeploymentId: request.promotedFromDeploymentId ?? null,
  }
}

/** Resolves what a deployment of the instance with these inputs would release, and refuses what could not be. */
export async function resolveRelease(
  db: Db,
  asked: { organizationId: string; pipelineRunId?: string },
  request: Pick<Request, 'moduleInstanceId' | 'inputs' | 'ran'>,
): Promise<{ instance: ModuleInstanceRow; release: Release }> {
  const { organizationId } = asked
  const found = await findTarget(db, organizationId, request.moduleInstanceId)
  if (!found) throw targetNotFound(request.moduleInstanceId)
  const { instance, resolution } = await resolveTarget(db, found, asked, request.inputs)
  const resolved = resolvedOrRefused(resolution, instance.givenId)
  const account = await accountNamed(db, organizationId, resolved)
  if (account.isProduction) await refuseOfPreview(db, instance, account)
  const released = request.ran ? promoted(resolved.release, request.ran).release : resolved.release
  return { instance, release: { ...released, cloudAccountId: account.id, queue: resolved.queue } }
}

async function accountNamed(db: Db, organizationId: string, name: AccountName): Promise<ConnectedAccount> {
  const account =
    'accountNumber' in name
      ? await findConnectionByNumber(db, organizationId, name.accountNumber)
      : await findCloudConnection(db, organizationId, name.cloudAccountId)
  if (account) return account
  const named = 'accountNumber' in name ? name.accountNumber : name.cloudAccountId
  throw new Refusal(
    'cloudAccountNotConnected',
    `It would deploy to the cloud account ${named}, which is not connected. Connect it, then deploy.`,
  )
}

/** Accepts the release of an earlier deployment once more: nothing is rendered again. */
export async function acceptRedeployment(
  db: Db,
  trigger: Trigger,
  source: DeploymentRow,
  clock: () => Date,
): Promise<DeploymentRow> {
  if (!isFinal(source.status)) {
    const message = `The deployment ${source.id} is ${source.status}; what it releases can be deployed again once it is over.`
    throw new Refusal('noStoredRelease', message)
  }
  await refuseReplayOfPreview(db, source)
  const row = replayOf(source, 'redeployment', { ...trigger, id: newId('dep') }, clock())
  return enqueue(db, clock, trigger, { ...row, redeployOfDeploymentId: source.id })
}

/** A new deployment of the release of an earlier one. */
export function replayOf(
  source: DeploymentRow,
  as: Replay,
  trigger: Trigger & { id: string },
  now: Date,
): NewDeployment {
  const { release, known } = kindOf(source).replay(source, as)
  const { moduleInstanceId, projectId, environmentId, description, inputs, instanceInput, moduleVersionId } = source
  const row = newDeployment({ ...trigger, ...writtenBy(source) }, release, now, trigger.id)
  const data = { ...row.data, ...known } as KeptData // of the same type, since its kind told it
  const place = { moduleInstanceId, projectId, environmentId }
  return { ...row, data, ...place, description, inputs, instanceInput, moduleVersionId }
}

/** Who wrote what is released does not change with who releases it again. */
export const writtenBy = ({ data: { authors } }: DeploymentRow): Pick<Trigger, 'authors'> => present({ authors })

/** What was resolved, or why it could not be. */
export function resolvedOrRefused(resolution: Resolution, instanceGivenId: string): ResolvedDeployment {
  switch (resolution.verdict) {
    case 'resolved':
      return resolution.deployment
    case 'no-deploy':
      throw new Refusal('moduleHasNoDeploy', `The module version of ${instanceGivenId} has no deploy block.`)
    case 'inputs-wrong':
      throw new Refusal('inputInvalid', 'The inputs are not what the module takes.', {
        details: [{ title: 'Inputs', render: 'list', items: resolution.faults }],
      })
    case 'release-wrong':
      throw new Refusal('releaseInvalid', `What the module version of ${instanceGivenId} releases is not valid.`, {
        description: "Mend the module version's deploy block or the instance's inputs, whichever the list points to.",
        details: [{ title: 'Release', render: 'list', items: resolution.faults }],
      })
  }
}

/** The same for a release that is there: its account may have been marked since. */
export async function refuseReplayOfPreview(db: Db, source: DeploymentRow): Promise<void> {
  const account = await findCloudConnection(db, source.organizationId, source.release.cloudAccountId)
  if (account?.isProduction) await refuseOfPreview(db, source, account)
}

/** What pull requests bring is released to no account that is marked as one for production. */
async function refuseOfPreview(
  db: Db,
  { organizationId, environmentId }: Pick<ModuleInstanceRow, 'organizationId' | 'environmentId'>,
  account: ConnectedAccount,
): Promise<void> {
  const environment = await findEnvironment(db, organizationId, environmentId)
  if (environment?.previewEnvironmentId == null) return
  const message = `What is in the preview environment ${environment.givenId} would be released to the cloud account ${account.id}, which is marked as production.`
  throw new Refusal('previewInProduction', message)
}

/** How long a deployment may wait for its turn: as long as the cloud lets the one before it take, 30 days. */
const longestQueueMs = 30 * 86_400_000
/** A waiting row whose message was lost is noticed after this. */
const turnMs = 5_000

type Place = 'moduleInstanceId' | 'projectId' | 'environmentId' | 'description' | 'inputs'

function newDeployment(trigger: Trigger, release: Release, now: Date, id = newId('dep')): Omit<NewDeployment, Place> {
  const { author, triggeredBy, triggeredById, authors = [] } = trigger
  const { data, ...begun } = kindOf({ release }).begin(release, { id, channel: author.channel, triggeredBy })
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
    wakeAt: later(now, turnMs),
    deadlineAt: later(now, longestQueueMs),
    waitingFor: 'its turn',
  }
}

/** Puts the deployment into the queue of its instance by the module's policy, which lets it in where that is empty. */
async function enqueue(
  db: Db,
  clock: () => Date,
  { author, admission }: Trigger,
  row: NewDeployment,
): Promise<DeploymentRow> {
  const now = clock()
  const first = { ...row, createdAt: now, updatedAt: now }
  const change = acceptance(first)
  const inserted = await insertFirst(db, { row: first, author, change, mostQueued: admission?.most })
  if (inserted) return inserted
  await admission?.expect()
  return enqueueBehind(db, clock, author, row)
}

/** The same behind others, in one transaction. */
async function enqueueBehind(db: Db, clock: () => Date, author: Author, row: NewDeployment): Promise<DeploymentRow> {
  return db.transaction(async (tx) => {
    const { isRuled } = await holdTarget(tx, row.moduleInstanceId)
    const now = clock() // after the lock was had, so that the order of the queue is the order of the transactions
    const allowed = isRuled ? await expectAdmitted(tx, row, now) : row
    const queued = await readQueue(tx, row.moduleInstanceId)
    const { pending, admission } = admissionTo(queued, row.release)
    if (admission.accept === 'no') throw new Refusal('queueFull', queueFullMessage(pending, row.release))
    const leaving = admission.accept === 'waits' ? admission.superseded : []
    const staying = queued.pending.filter(({ id }) => !leaving.includes(id))
    const inserted = await insertNext(tx, author, queuedBehind(allowed, { ...queued, pending: staying }, now), now)
    const newest = pending.find(({ id }) => admission.accept === 'gives-way' && id === admission.to)
    if (newest) return giveWay(tx, author, { row: inserted, to: newest }, now)
    if (admission.accept !== 'waits') return inserted
    for (const one of pending.filter(({ id }) => admission.superseded.includes(id))) {
      await giveWay(tx, author, { row: one, to: inserted }, now)
    }
    return inserted
  })
}

/**
 * Decides whether a release may join a queue. `pending` are those that it can displace: a rollback goes first, whatever
 * the policy, and no release takes its place.
 */
export function admissionTo(queued: Queue, { queue }: Release) {
  const pending = queued.pending.filter((one) => !isRollback(one))
  const hasActive = queued.active !== undefined || pending.length < queued.pending.length
  const ids = pending.map(({ id }) => id)
  return { pending, admission: admit(queue, ids, hasActive) }
}

export const queueFullMessage = (pending: readonly DeploymentRow[], { queue }: Release): string =>
  `${pending.length} deployments of this module instance wait already, and its module lets ${queue.queueSize} wait.`

/** Stores a deployment at the end of the queue; to be called under the lock of the target. */
export async function insertNext(tx: Db, author: Author, row: NewDeployment, now: Date): Promise<DeploymentRow> {
  const inserted = await insertDeployment(tx, { ...row, createdAt: now, updatedAt: now })
  await recordChange(tx, author, acceptance(inserted))
  return inserted
}

/** Inputs may hold secrets: of them, only the names are written down. */
export function acceptance(row: NewDeployment): Change {
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

/** Takes the lock of the target. The instance may have been deleted since it was found. */
export async function holdTarget(tx: Db, moduleInstanceId: string): Promise<Target> {
  const target = await lockTarget(tx, moduleInstanceId)
  if (!target) throw targetNotFound(moduleInstanceId)
  expectNotDestroyed(target.status, moduleInstanceId)
  return target
}

export function expectNotDestroyed(status: Target['status'], moduleInstanceId: string): void {
  if (status !== 'DESTROYED') return
  throw new Refusal('moduleInstanceDestroyed', `The module instance ${moduleInstanceId} is destroyed.`)
}

const targetNotFound = (id: string) => missing('moduleInstanceNotFound', 'module instance', id)
