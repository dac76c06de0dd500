import { and, eq, lt, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { overdueIn } from '../../platform/engine/overdue.ts'
import type { Reply } from './replies.ts'
import { type SlackPressRow, slackInteractions } from './tables.ts'
import { slackPressService, toSlackPress } from './wake.ts'

const isOne = ({ organizationId, id }: Pick<SlackPressRow, 'organizationId' | 'id'>) =>
  and(eq(slackInteractions.organizationId, organizationId), eq(slackInteractions.id, id))

type NewPress = Pick<SlackPressRow, 'id' | 'organizationId' | 'channelId' | 'requestHash' | 'sealedResponseUrl'>

/** Stores a button press before it is executed. Returns undefined if it is already stored. */
export async function insertPress(db: Db, press: NewPress, now: Date): Promise<SlackPressRow | undefined> {
  const [row] = await db
    .insert(slackInteractions)
    .values({ ...press, createdAt: now })
    .onConflictDoNothing()
    .returning()
  return row
}

export async function loadPress(db: Db, id: string): Promise<SlackPressRow | undefined> {
  const [row] = await db.select().from(slackInteractions).where(eq(slackInteractions.id, id))
  return row
}

export async function saveReply(db: Db, press: SlackPressRow, reply: Reply, wakeAt: Date): Promise<void> {
  await db.update(slackInteractions).set({ reply, wakeAt, updatedAt: sql`now()` }).where(isOne(press))
}

/** Schedules another attempt to send the reply. */
export async function postponeReply(db: Db, press: SlackPressRow, wakeAt: Date): Promise<void> {
  await db.update(slackInteractions).set({ wakeAt }).where(isOne(press))
}

/** Deletes the reply. The row remains, so that the press is not executed again. */
export async function endReply(db: Db, press: SlackPressRow): Promise<void> {
  await db.update(slackInteractions).set({ reply: null, sealedResponseUrl: null, wakeAt: null }).where(isOne(press))
}

/** Returns wake-up messages for replies whose message was lost or that are due for a retry. */
export const dueSlackReplies = overdueIn(slackInteractions, {
  service: slackPressService,
  messagesOf: (rows) => rows.map(({ id }) => toSlackPress(id)),
  graceMs: 0,
})

/** Retention of button presses, in milliseconds: far longer than signatures and response URLs are valid. */
const retentionMs = 2 * 3_600_000

export async function deleteOldSlackPresses(db: Db, now: Date): Promise<void> {
  await db.delete(slackInteractions).where(lt(slackInteractions.createdAt, new Date(now.getTime() - retentionMs)))
}
