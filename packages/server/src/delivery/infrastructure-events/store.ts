import type { CloudEvent } from '@sluice/contract'
import { type CloudAccountRow, cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { and, eq, gte, inArray, isNotNull, lt, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectCountedPage } from '../../platform/db/page.ts'
import { prepared } from '../../platform/db/prepared.ts'
import { storableJson } from '../../platform/db/storable.ts'
import { overdueIn } from '../../platform/engine/overdue.ts'
import { newId } from '../../platform/ids.ts'
import { activeStatuses } from '../deployments/execution/machine.ts'
import { deployments } from '../deployments/store/tables.ts'
import { maxEventDelayMs } from './match.ts'
import { type InfrastructureEventRow, infrastructureEvents } from './tables.ts'
import { cloudEventService, toCloudEvent } from './wake.ts'

/**
 * Loads the account that an event was sent for. The query has no organization, because the secret that is checked next
 * identifies it.
 */
export async function findReceivingAccount(db: Db, id: string): Promise<CloudAccountRow | undefined> {
  const [row] = await receiving(db).execute({ id })
  return row
}

const receiving = prepared((db) =>
  db
    .select()
    .from(cloudAccounts)
    .where(eq(cloudAccounts.id, sql.placeholder('id')))
    .prepare('receiving_account'),
)

export type NewEvent = Pick<InfrastructureEventRow, 'organizationId' | 'cloudAccountId' | 'resourceArn' | 'wakeAt'> & {
  event: CloudEvent
  /**
   * Cloud id of the release that the event reports as started. It is not examined at `wakeAt` if an active deployment
   * belongs to it.
   */
  begunDeploymentId?: string
}

/** New event, and the active deployments to its resource. */
export type StoredEvent = { id: string; running: string[]; isLookedFor: boolean }

const runsOn = (organizationId: SQL, resourceArn: SQL): SQL =>
  sql`${deployments.organizationId} = ${organizationId} and ${deployments.resourceArn} = ${resourceArn}
    and ${and(isNotNull(deployments.wakeAt), inArray(deployments.status, [...activeStatuses]))}`

const isOurs = sql`exists (select 1 from ${deployments}
  where ${runsOn(sql`told.organization_id`, sql`told.resource_arn`)}
    and told.begun_deployment_id in (${deployments.externalDeploymentId}, ${deployments.data} ->> 'revertExternalDeploymentId'))`

const now = sql`${sql.placeholder('now')}::timestamptz`

const keep = prepared((db) =>
  db
    .insert(infrastructureEvents)
    .select(sql`select id, ${now}, ${now}, organization_id, cloud_account_id, external_event_id, source, detail_type,
        resource_arn, occurred_at, event, case when ${isOurs} then null else wake_at end
      from jsonb_to_recordset(${sql.placeholder('events')}::jsonb) as told(id text, organization_id text,
        cloud_account_id text, external_event_id text, source text, detail_type text, resource_arn text,
        occurred_at timestamptz, event jsonb, wake_at timestamptz, begun_deployment_id text)`)
    .onConflictDoNothing()
    .returning({
      id: infrastructureEvents.id,
      running: sql<string[]>`array(select ${deployments.id} from ${deployments}
        where ${runsOn(sql`${infrastructureEvents}.organization_id`, sql`${infrastructureEvents}.resource_arn`)})`,
      isLookedFor: sql<boolean>`${isNotNull(infrastructureEvents.wakeAt)}`,
    })
    .prepare('keep_events'),
)

/**
 * Stores events and finds the deployments that they concern, in one statement; returns undefined for duplicates. The
 * events are a single parameter, because planning a statement with as many rows would take longer than storing them.
 */
export async function storeEvents(db: Db, events: readonly NewEvent[], at: Date): Promise<(StoredEvent | undefined)[]> {
  const rows = events.map(({ event, organizationId, cloudAccountId, resourceArn, wakeAt, begunDeploymentId }) => ({
    id: newId('evt'),
    organization_id: organizationId,
    cloud_account_id: cloudAccountId,
    external_event_id: event.id,
    source: event.source,
    detail_type: event['detail-type'],
    resource_arn: resourceArn,
    occurred_at: event.time,
    event,
    wake_at: wakeAt,
    begun_deployment_id: begunDeploymentId,
  }))
  // Same order in all processes, to avoid deadlocks between concurrent statements with the same events.
  const inOrder = rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const kept = await keep(db).execute({ events: storableJson(inOrder), now: at.toISOString() })
  const known = new Map(kept.map((one) => [one.id, one]))
  return rows.map(({ id }) => known.get(id))
}

const keyOf = (row: { cloud_account_id: string; external_event_id: string }) =>
  `${row.cloud_account_id} ${row.external_event_id}`

/** Loads an event for the engine's handler, by its id. */
export async function loadEvent(db: Db, id: string): Promise<InfrastructureEventRow | undefined> {
  const [row] = await db.select().from(infrastructureEvents).where(eq(infrastructureEvents.id, id))
  return row
}

/** Sets when an event is examined next; null for never. */
export async function scheduleExamination(db: Db, id: string, wakeAt: Date | null): Promise<void> {
  await db.update(infrastructureEvents).set({ wakeAt }).where(eq(infrastructureEvents.id, id))
}

/** Finds events that are overdue for examination and returns their messages. */
export const overdueEvents = overdueIn(infrastructureEvents, {
  service: cloudEventService,
  messagesOf: (rows) => rows.map(({ id }) => toCloudEvent(id)),
})

export interface InfrastructureEventFilters {
  cloudAccountId?: string
  source?: string
  detailType?: string
  resourceArn?: string
  moduleInstanceId?: string
  deploymentId?: string
  startTime?: string
  endTime?: string
}

export async function findInfrastructureEvent(
  db: Db,
  organizationId: string,
  id: string,
): Promise<InfrastructureEventRow | undefined> {
  const isOne = and(eq(infrastructureEvents.organizationId, organizationId), eq(infrastructureEvents.id, id))
  const [row] = await db.select().from(infrastructureEvents).where(isOne)
  return row
}

export function listInfrastructureEvents(
  db: Db,
  organizationId: string,
  filters: InfrastructureEventFilters,
  page: PageBounds,
): Promise<PageRows<InfrastructureEventRow>> {
  const { cloudAccountId, source, detailType, resourceArn, moduleInstanceId, deploymentId, startTime, endTime } =
    filters
  const filter = and(
    startTime === undefined ? undefined : gte(infrastructureEvents.occurredAt, new Date(startTime)),
    endTime === undefined ? undefined : lt(infrastructureEvents.occurredAt, new Date(endTime)),
    moduleInstanceId === undefined ? undefined : isOfInstance(organizationId, moduleInstanceId),
    deploymentId === undefined ? undefined : isOfDeployment(organizationId, deploymentId),
    cloudAccountId === undefined ? undefined : eq(infrastructureEvents.cloudAccountId, cloudAccountId),
    source === undefined ? undefined : eq(infrastructureEvents.source, source),
    detailType === undefined ? undefined : eq(infrastructureEvents.detailType, detailType),
    resourceArn === undefined ? undefined : eq(infrastructureEvents.resourceArn, resourceArn),
  )
  return selectCountedPage(db, infrastructureEvents, organizationId, filter, page)
}

/** Returns the condition for events about the resource that the instance releases to or will release to. */
const isOfInstance = (organizationId: string, moduleInstanceId: string): SQL =>
  sql`${infrastructureEvents.resourceArn} in (
    select resource_arn from deployments
    where organization_id = ${organizationId} and module_instance_id = ${moduleInstanceId} and resource_arn is not null
    union select resource_arn from module_instances
    where organization_id = ${organizationId} and id = ${moduleInstanceId} and resource_arn is not null)`

/**
 * Returns the condition for events about the deployment's target while it was active and shortly after. The cloud's
 * times are in whole seconds.
 */
const isOfDeployment = (organizationId: string, deploymentId: string): SQL =>
  sql`exists (
    select from deployments d
    where d.organization_id = ${organizationId} and d.id = ${deploymentId}
      and d.resource_arn = ${infrastructureEvents.resourceArn}
      and ${infrastructureEvents.occurredAt} >= date_trunc('second', d.started_at)
      and (d.completed_at is null
        or ${infrastructureEvents.occurredAt} <= d.completed_at + make_interval(secs => ${maxEventDelayMs / 1_000})))`
