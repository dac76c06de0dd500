import type { CloudEvent } from '@sluice/contract'
import { eq } from 'drizzle-orm'
import { type CloudAccountRow, cloudAccounts } from '../cloud-accounts/tables.ts'
import type { Db } from '../platform/db/open.ts'
import { newId } from '../platform/ids.ts'
import { infrastructureEvents } from './tables.ts'

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
