import type { CloudEvent } from '@sluice/contract'
import { and, eq } from 'drizzle-orm'
import { type CloudAccountRow, cloudAccounts } from '../cloud-accounts/tables.ts'
import type { Db } from '../platform/db/open.ts'
import { type PageBounds, type PageRows, selectCountedPage } from '../platform/db/page.ts'
import { newId } from '../platform/ids.ts'
import { type InfrastructureEventRow, infrastructureEvents } from './tables.ts'

/** The account an event is delivered for. It names no organization: the event's secret, checked next, stands for it. */
export async function findReceivingAccount(db: Db, id: string): Promise<CloudAccountRow | undefined> {
  const [row] = await db.select().from(cloudAccounts).where(eq(cloudAccounts.id, id))
  return row
}

/** Keeps an event; false if it came before. */
export async function keepEvent(
  db: Db,
  { id: cloudAccountId, organizationId }: CloudAccountRow,
  event: CloudEvent,
  resourceArn: string | null,
): Promise<boolean> {
  const kept = await db
    .insert(infrastructureEvents)
    .values({
      id: newId('evt'),
      organizationId,
      cloudAccountId,
      externalEventId: event.id,
      source: event.source,
      detailType: event['detail-type'],
      resourceArn,
      occurredAt: new Date(event.time),
      event,
    })
    .onConflictDoNothing()
    .returning({ id: infrastructureEvents.id })
  return kept.length > 0
}

export interface InfrastructureEventFilters {
  cloudAccountId?: string
  source?: string
  detailType?: string
  resourceArn?: string
}

export function listInfrastructureEvents(
  db: Db,
  organizationId: string,
  { cloudAccountId, source, detailType, resourceArn }: InfrastructureEventFilters,
  page: PageBounds,
): Promise<PageRows<InfrastructureEventRow>> {
  const filter = and(
    cloudAccountId === undefined ? undefined : eq(infrastructureEvents.cloudAccountId, cloudAccountId),
    source === undefined ? undefined : eq(infrastructureEvents.source, source),
    detailType === undefined ? undefined : eq(infrastructureEvents.detailType, detailType),
    resourceArn === undefined ? undefined : eq(infrastructureEvents.resourceArn, resourceArn),
  )
  return selectCountedPage(db, infrastructureEvents, organizationId, filter, page)
}
