import { auditType, type NotificationDelivery } from '@sluice/contract'
import { certificates } from '../../cloud/certificates/tables.ts'
import { cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { deployments } from '../../delivery/deployments/tables.ts'
import { holds } from '../../delivery/holds/tables.ts'
import { auditEvents } from '../../identity/audit-events/tables.ts'
import { previewEnvironments } from '../../infrastructure/preview-environments/tables.ts'
import { stackDrifts } from '../../infrastructure/stack-drift/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { pipelineRuns, pipelineStepExecutions, pipelines } from '../../pipelines/pipelines/tables.ts'
import {
  alias,
  and,
  asc,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  notExists,
  or,
  type SQL,
  sql,
} from '../../platform/db/drizzle.ts'
import { batchSize, daysBefore, inBatches } from '../../platform/db/forgetting.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { firstIdAt, newId } from '../../platform/ids.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { type NotificationChannelRow, notificationChannels } from '../notification-channels/tables.ts'
import type {
  ToldCertificate,
  ToldConnection,
  ToldDeployment,
  ToldDrift,
  ToldFilesDrift,
  ToldHold,
  ToldPreview,
  ToldRun,
} from './events.ts'
import type { AfterAttempt } from './machine.ts'
import { type NotificationDeliveryRow, notificationDeliveries } from './tables.ts'

type Channel = Pick<NotificationChannelRow, 'organizationId' | 'id'>
type Switched = Channel & Pick<NotificationChannelRow, 'enabled'>
type NewDelivery = Pick<NotificationDeliveryRow, 'channelId' | 'eventId' | 'recordId' | 'payload'> &
  Partial<Pick<NotificationDeliveryRow, 'id' | 'resendOf'>> & {
    /** Until when it is held back. */
    heldUntil?: Date | undefined
  }

const ofChannel = ({ organizationId, id }: Channel) =>
  and(eq(notificationDeliveries.organizationId, organizationId), eq(notificationDeliveries.channelId, id))

/** Adds deliveries in their order. What a channel was to be told already is not added again. */
export async function insertDeliveries(
  tx: Db,
  organizationId: string,
  deliveries: NewDelivery[],
  now: Date,
): Promise<NotificationDeliveryRow[]> {
  if (deliveries.length === 0) return []
  const pending = { organizationId, status: 'PENDING' } as const
  const rows = await tx
    .insert(notificationDeliveries)
    .values(
      deliveries.map(({ heldUntil, ...one }) => ({
        ...{ id: newId('ndl'), ...one, ...pending },
        ...{ nextAttemptAt: heldUntil ?? now, isHeldBack: heldUntil !== undefined },
      })),
    )
    .onConflictDoNothing()
    .returning()
  const atOnce = rows.filter(({ isHeldBack }) => !isHeldBack)
  const { channelId, recordId } = notificationDeliveries
  // What is told of a record comes in order: what waits of it comes before, now.
  const ofRecords = atOnce.map((row) => and(eq(channelId, row.channelId), eq(recordId, row.recordId)))
  if (atOnce.length > 0)
    await holdBackUntil(tx, and(eq(notificationDeliveries.organizationId, organizationId), or(...ofRecords)), now)
  return rows
}

/** Has what is held back of a channel wait until then: when it wants to be told is another now. */
export const postpone = (tx: Db, channel: Channel, until: Date): Promise<void> =>
  holdBackUntil(tx, ofChannel(channel), until)

async function holdBackUntil(tx: Db, which: SQL | undefined, until: Date): Promise<void> {
  await tx.update(notificationDeliveries).set({ nextAttemptAt: until }).where(and(which, isWaiting))
}

/** That it is held back, and is in no message yet. */
const isWaiting = and(
  eq(notificationDeliveries.status, 'PENDING'),
  eq(notificationDeliveries.isHeldBack, true),
  isNull(notificationDeliveries.digestId),
)

/** Those of them about records that their channel was told of before. */
export async function ofToldRecords<T extends Pick<NewDelivery, 'channelId' | 'recordId'>>(
  db: Db,
  organizationId: string,
  deliveries: T[],
): Promise<T[]> {
  if (deliveries.length === 0) return []
  const { channelId, recordId } = notificationDeliveries
  const told = await db
    .selectDistinct({ channelId, recordId })
    .from(notificationDeliveries)
    .where(
      and(
        eq(notificationDeliveries.organizationId, organizationId),
        inArray(channelId, [...new Set(deliveries.map((one) => one.channelId))]),
        inArray(recordId, [...new Set(deliveries.map((one) => one.recordId))]),
      ),
    )
  return deliveries.filter((one) =>
    told.some((other) => other.channelId === one.channelId && other.recordId === one.recordId),
  )
}

/** What a channel was told, or is to be told, of events. */
export async function deliveriesOfEvents(
  tx: Db,
  channel: Channel,
  eventIds: readonly string[],
): Promise<Pick<NotificationDeliveryRow, 'id' | 'eventId' | 'status' | 'resendOf'>[]> {
  const { id, eventId, status, resendOf } = notificationDeliveries
  return tx
    .select({ id, eventId, status, resendOf })
    .from(notificationDeliveries)
    .where(and(ofChannel(channel), inArray(eventId, [...eventIds])))
}

/** Of a channel of the organization: what people were told is theirs. */
export async function findDelivery(
  db: Db,
  organizationId: string,
  id: string,
): Promise<NotificationDeliveryRow | undefined> {
  const channels = db
    .select({ id: notificationChannels.id })
    .from(notificationChannels)
    .where(and(eq(notificationChannels.organizationId, organizationId), isNull(notificationChannels.membershipId)))
  const [row] = await db
    .select()
    .from(notificationDeliveries)
    .where(
      and(
        eq(notificationDeliveries.organizationId, organizationId),
        eq(notificationDeliveries.id, id),
        inArray(notificationDeliveries.channelId, channels),
      ),
    )
  return row
}

/** That it tells of no line of the audit log, which not everybody reads who sees channels. */
const isNoLine = sql`${notificationDeliveries.payload} ->> 'type' <> ${auditType}`

export const listDeliveries = (
  db: Db,
  channel: Channel,
  { status, withLines }: { status: NotificationDelivery['status'] | undefined; withLines: boolean },
  page: PageBounds,
): Promise<PageRows<NotificationDeliveryRow>> =>
  selectPage(
    db,
    notificationDeliveries,
    and(
      ofChannel(channel),
      status === undefined ? undefined : eq(notificationDeliveries.status, status),
      withLines ? undefined : isNoLine,
    ),
    page,
  )

/** Gives up what a channel was still to be told; not what its owners are. */
export async function giveUp(tx: Db, channel: Channel): Promise<void> {
  await tx
    .update(notificationDeliveries)
    .set({ status: 'FAILED', nextAttemptAt: null, updatedAt: sql`now()` })
    .where(
      and(
        ofChannel(channel),
        eq(notificationDeliveries.status, 'PENDING'),
        ne(notificationDeliveries.recordId, channel.id),
      ),
    )
}

const earlier = alias(notificationDeliveries, 'earlier')

/** That a delivery is the next of its channel about its record. */
const isNext = (db: Db) =>
  notExists(
    db
      .select({ one: sql`1` })
      .from(earlier)
      .where(
        and(
          eq(earlier.channelId, notificationDeliveries.channelId),
          eq(earlier.recordId, notificationDeliveries.recordId),
          eq(earlier.status, 'PENDING'),
          lt(earlier.sequence, notificationDeliveries.sequence),
        ),
      ),
  )

/** What is to be sent to a channel next, whenever that is; of one that is disabled, to its owners alone. */
export async function nextDelivery(db: Db, channel: Switched): Promise<NotificationDeliveryRow | undefined> {
  const [row] = await db
    .select()
    .from(notificationDeliveries)
    .where(
      and(
        ofChannel(channel),
        channel.enabled ? undefined : eq(notificationDeliveries.recordId, channel.id),
        eq(notificationDeliveries.status, 'PENDING'),
        isNext(db),
      ),
    )
    .orderBy(asc(notificationDeliveries.nextAttemptAt), asc(notificationDeliveries.sequence))
    .limit(1)
  return row
}

/** So many are in one message at most; the others make another. */
const mostInDigest = 500

/**
 * Puts what was held back of a channel, and is due, into one message with a delivery; not what has to wait for
 * something else about its record. Another time, the message has the same in it.
 */
export async function gather(
  tx: Db,
  channel: Channel,
  { id: digestId }: Pick<NotificationDeliveryRow, 'id'>,
  now: Date,
): Promise<void> {
  const isEarlierElsewhere = and(
    eq(earlier.channelId, notificationDeliveries.channelId),
    eq(earlier.recordId, notificationDeliveries.recordId),
    eq(earlier.status, 'PENDING'),
    lt(earlier.sequence, notificationDeliveries.sequence),
    or(eq(earlier.isHeldBack, false), isNotNull(earlier.digestId), gt(earlier.nextAttemptAt, now)),
  )
  const due = tx
    .select({ id: notificationDeliveries.id })
    .from(notificationDeliveries)
    .where(
      and(
        ofChannel(channel),
        isWaiting,
        lte(notificationDeliveries.nextAttemptAt, now),
        notExists(tx.select({ one: sql`1` }).from(earlier).where(isEarlierElsewhere)),
      ),
    )
    .orderBy(asc(notificationDeliveries.nextAttemptAt), asc(notificationDeliveries.sequence))
    .limit(mostInDigest)
  await tx
    .update(notificationDeliveries)
    .set({ digestId })
    .where(and(ofChannel(channel), inArray(notificationDeliveries.id, due)))
}

/** What is still to be told in one message, in its order. */
export const listDigest = (db: Db, channel: Channel, digestId: string): Promise<NotificationDeliveryRow[]> =>
  db
    .select()
    .from(notificationDeliveries)
    .where(
      and(
        ofChannel(channel),
        eq(notificationDeliveries.digestId, digestId),
        eq(notificationDeliveries.status, 'PENDING'),
      ),
    )
    .orderBy(asc(notificationDeliveries.sequence))

/** Writes down what an attempt made of deliveries; what was given up meanwhile stays so. */
export async function saveAttempt(tx: Db, organizationId: string, ids: string[], after: AfterAttempt): Promise<void> {
  await tx
    .update(notificationDeliveries)
    .set({ ...after, updatedAt: sql`now()` })
    .where(
      and(
        eq(notificationDeliveries.organizationId, organizationId),
        inArray(notificationDeliveries.id, ids),
        eq(notificationDeliveries.status, 'PENDING'),
      ),
    )
}

/** Records that changed: these; or, where it is not known which, those that are under way or ended since. */
export type Changed = { ids: readonly string[] } | { since: Date }

export async function deploymentsToTell(db: Db, organizationId: string, changed: Changed): Promise<ToldDeployment[]> {
  const { id, wakeAt, completedAt } = deployments
  const isChanged =
    'ids' in changed ? inArray(id, [...changed.ids]) : or(isNotNull(wakeAt), gte(completedAt, changed.since))
  const { status, deploymentType, description, triggerSource, pipelineRunId, startedAt, error, data } = deployments
  const before = db
    .select({ id: former.id, release: former.release, data: former.data })
    .from(former)
    .where(
      and(
        eq(former.organizationId, organizationId),
        eq(former.moduleInstanceId, deployments.moduleInstanceId),
        eq(former.status, 'SUCCESS'),
        lt(former.completedAt, deployments.completedAt),
      ),
    )
    .orderBy(desc(former.completedAt))
    .limit(1)
    .as('before')
  const rows = await db
    .select({
      ...{ id, status, deploymentType, description, triggerSource, pipelineRunId, startedAt, completedAt, error, data },
      progress: deployments.progress,
      waitingFor: deployments.waitingFor,
      organizationId: deployments.organizationId,
      project: { id: projects.id, name: projects.name },
      environment: { id: environments.id, name: environments.name },
      moduleInstance: { id: moduleInstances.id, name: moduleInstances.name },
      release: deployments.release,
      ...{ beforeId: before.id, beforeRelease: before.release, beforeData: before.data },
    })
    .from(deployments)
    .innerJoin(projects, eq(projects.id, deployments.projectId))
    .innerJoin(environments, eq(environments.id, deployments.environmentId))
    .innerJoin(moduleInstances, eq(moduleInstances.id, deployments.moduleInstanceId))
    .leftJoinLateral(before, sql`true`)
    .where(and(eq(deployments.organizationId, organizationId), isChanged))
    .orderBy(asc(id))
  return rows.map(({ beforeId, beforeRelease, beforeData, ...row }) => ({
    ...row,
    before:
      beforeId !== null && beforeRelease && beforeData
        ? { id: beforeId, release: beforeRelease, data: beforeData }
        : null,
  }))
}

const former = alias(deployments, 'former')

export async function runsToTell(
  db: Db,
  organizationId: string,
  changed: Changed,
  changedSteps: readonly string[] = [],
): Promise<ToldRun[]> {
  const { id, wakeAt, completedAt, number, status, triggerSource, triggeredBy, moduleInstanceId, error } = pipelineRuns
  const step = pipelineStepExecutions
  const runsOfSteps = db
    .select({ id: step.pipelineRunId })
    .from(step)
    .where(and(eq(step.organizationId, organizationId), inArray(step.id, [...changedSteps])))
  const isNamed = (ids: readonly string[]) =>
    or(inArray(id, [...ids]), changedSteps.length === 0 ? undefined : inArray(id, runsOfSteps))
  const isChanged = 'ids' in changed ? isNamed(changed.ids) : or(isNotNull(wakeAt), gte(completedAt, changed.since))
  const runs = await db
    .select({
      ...{ id, number, status, triggerSource, triggeredBy, moduleInstanceId, completedAt, error },
      organizationId: pipelineRuns.organizationId,
      project: { id: projects.id, name: projects.name },
      pipeline: { id: pipelines.id, name: pipelines.name },
      environmentId: moduleInstances.environmentId,
    })
    .from(pipelineRuns)
    .innerJoin(pipelines, eq(pipelines.id, pipelineRuns.pipelineId))
    .innerJoin(projects, eq(projects.id, pipelines.projectId))
    .leftJoin(moduleInstances, eq(moduleInstances.id, pipelineRuns.moduleInstanceId))
    .where(and(eq(pipelineRuns.organizationId, organizationId), isChanged))
    .orderBy(asc(id))
  const runIds = runs.map((run) => run.id)
  const isTold = or(isNotNull(step.approval), inArray(step.queueReason, ['FROZEN', 'VERSION_NOT_APPROVED']))
  const waiting = await db
    .select({
      ...{ id: step.id, stepName: step.stepName, approval: step.approval, statusDetail: step.statusDetail },
      ...{ status: step.status, queueReason: step.queueReason, queueMetadata: step.queueMetadata },
      updatedAt: step.updatedAt,
      pipelineRunId: step.pipelineRunId,
    })
    .from(step)
    .where(and(eq(step.organizationId, organizationId), inArray(step.pipelineRunId, runIds), isTold))
  return runs.map((run) => ({ ...run, steps: waiting.filter(({ pipelineRunId }) => pipelineRunId === run.id) }))
}

export async function holdsToTell(db: Db, organizationId: string, changed: Changed): Promise<ToldHold[]> {
  const { id, createdAt, reason, heldBy, releasedAt, releasedBy, releaseReason } = holds
  const isChanged =
    'ids' in changed ? inArray(id, [...changed.ids]) : or(gte(createdAt, changed.since), gte(releasedAt, changed.since))
  return db
    .select({
      ...{ id, createdAt, reason, heldBy, releasedAt, releasedBy, releaseReason },
      organizationId: holds.organizationId,
      project: { id: projects.id, name: projects.name },
      environment: { id: environments.id, name: environments.name },
      moduleInstance: { id: moduleInstances.id, name: moduleInstances.name },
    })
    .from(holds)
    .innerJoin(projects, eq(projects.id, holds.projectId))
    .innerJoin(environments, eq(environments.id, holds.environmentId))
    .leftJoin(moduleInstances, eq(moduleInstances.id, holds.moduleInstanceId))
    .where(and(eq(holds.organizationId, organizationId), isChanged))
    .orderBy(asc(id))
}

/** Preview environments that could not be torn down. */
export function previewsToTell(db: Db, organizationId: string, changed: Changed): Promise<ToldPreview[]> {
  const { id, givenId, number, message, failedTeardowns, teardownFailedAt, retryAt } = previewEnvironments
  return db
    .select({
      ...{ id, givenId, number, message, failedTeardowns, teardownFailedAt, retryAt },
      organizationId: previewEnvironments.organizationId,
      project: { id: projects.id, name: projects.name },
      environment: { id: environments.id, name: environments.name },
    })
    .from(previewEnvironments)
    .innerJoin(projects, eq(projects.id, previewEnvironments.projectId))
    .leftJoin(environments, eq(environments.id, previewEnvironments.environmentId))
    .where(
      and(
        eq(previewEnvironments.organizationId, organizationId),
        isNotNull(teardownFailedAt),
        'ids' in changed ? inArray(id, [...changed.ids]) : gte(teardownFailedAt, changed.since),
      ),
    )
    .orderBy(asc(id))
}

/** Stacks that have drifted; `ids` are those of the runs that looked, whose end is where it is found. */
export const driftsToTell = (db: Db, organizationId: string, changed: Changed): Promise<ToldDrift[]> =>
  db
    .select({
      organizationId: stackDrifts.organizationId,
      driftedSince: stackDrifts.driftedSince,
      runId: stackDrifts.runId,
      stack: { id: stacks.id, name: stacks.name },
      project: { id: projects.id, name: projects.name },
      environment: { id: environments.id, name: environments.name },
    })
    .from(stackDrifts)
    .innerJoin(stacks, eq(stacks.id, stackDrifts.stackId))
    .innerJoin(projects, eq(projects.id, stacks.projectId))
    .leftJoin(moduleInstances, and(eq(moduleInstances.stackId, stacks.id), ne(moduleInstances.status, 'DESTROYED')))
    .leftJoin(environments, eq(environments.id, moduleInstances.environmentId))
    .where(
      and(
        eq(stackDrifts.organizationId, organizationId),
        eq(stackDrifts.status, 'DRIFTED'),
        'ids' in changed ? inArray(stackDrifts.runId, [...changed.ids]) : gte(stackDrifts.driftedSince, changed.since),
      ),
    )
    .orderBy(asc(stacks.id))

const noted = {
  organizationId: auditEvents.organizationId,
  createdAt: auditEvents.createdAt,
  details: auditEvents.details,
  before: auditEvents.before,
}

/** Lines of the audit log that a change wrote, and nobody can lose. */
const isNoted = (organizationId: string, actions: readonly string[], since: Date) =>
  and(
    eq(auditEvents.organizationId, organizationId),
    inArray(auditEvents.action, [...actions]),
    gte(auditEvents.id, firstIdAt('aud', since)),
  )

/** When cloud accounts were connected, and when a check found that they are not or are again. */
export const connectionsToTell = (db: Db, organizationId: string, since: Date): Promise<ToldConnection[]> =>
  db
    .select({
      ...noted,
      cloudAccount: { id: cloudAccounts.id, name: cloudAccounts.name, status: cloudAccounts.status },
    })
    .from(auditEvents)
    .innerJoin(cloudAccounts, eq(cloudAccounts.id, auditEvents.resourceId))
    .where(isNoted(organizationId, ['cloud-accounts.connect', 'cloud-accounts.check'], since))
    .orderBy(asc(auditEvents.id))

/** Where a look at a watched repository found that its project was changed otherwise. */
export const filesDriftsToTell = (db: Db, organizationId: string, since: Date): Promise<ToldFilesDrift[]> =>
  db
    .select({
      ...noted,
      watchedRepositoryId: auditEvents.resourceId,
      project: { id: projects.id, name: projects.name },
    })
    .from(auditEvents)
    .innerJoin(projects, eq(projects.id, auditEvents.projectId))
    .where(isNoted(organizationId, ['watched-repositories.find-drift'], since))
    .orderBy(asc(auditEvents.id))

/** What became of certificates. */
export const certificatesToTell = (db: Db, organizationId: string, since: Date): Promise<ToldCertificate[]> =>
  db
    .select({
      ...noted,
      certificate: {
        ...{ id: certificates.id, names: certificates.names, expiresAt: certificates.expiresAt },
        error: certificates.error,
      },
      cloudAccount: { id: cloudAccounts.id, name: cloudAccounts.name },
    })
    .from(auditEvents)
    .innerJoin(certificates, eq(certificates.id, auditEvents.resourceId))
    .innerJoin(cloudAccounts, eq(cloudAccounts.id, certificates.cloudAccountId))
    .where(isNoted(organizationId, ['certificates.follow'], since))
    .orderBy(asc(auditEvents.id))

/** How long deliveries are kept. */
export const keptDays = 30

/** Forgets deliveries that are over and old; by their ids, which sort by time. */
export const forgetNotifications = (db: Db, now: Date): Promise<void> =>
  inBatches(async () => {
    const { id, status } = notificationDeliveries
    const old = db
      .select({ id })
      .from(notificationDeliveries)
      .where(and(lt(id, firstIdAt('ndl', daysBefore(now, keptDays))), ne(status, 'PENDING')))
      .orderBy(asc(id))
      .limit(batchSize)
    const removed = await db.delete(notificationDeliveries).where(inArray(id, old)).returning({ id })
    return removed.length
  })
