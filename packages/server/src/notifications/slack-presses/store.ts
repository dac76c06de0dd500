import { and, eq, lt, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { overdueIn } from '../../platform/engine/overdue.ts'
import type { Reply } from './replies.ts'
import { type SlackPressRow, slackPresses } from './tables.ts'
import { slackPressService, toSlackPress } from './wake.ts'

const isOne = ({ organizationId, id }: Pick<SlackPressRow, 'organizationId' | 'id'>) =>
  and(eq(slackPresses.organizationId, organizationId), eq(slackPresses.id, id))

type NewPress = Pick<SlackPressRow, 'id' | 'organizationId' | 'channelId' | 'requestHash' | 'sealedResponseUrl'>

/** Writes a press down, before anything is done about it; undefined where it is known. */
export async function insertPress(db: Db, press: NewPress, now: Date): Promise<SlackPressRow | undefined> {
  const [row] = await db
    .insert(slackPresses)
    .values({ ...press, createdAt: now })
    .onConflictDoNothing()
    .returning()
  return row
}

export async function loadPress(db: Db, id: string): Promise<SlackPressRow | undefined> {
  const [row] = await db.select().from(slackPresses).where(eq(slackPresses.id, id))
  return row
}

export async function saveReply(db: Db, press: SlackPressRow, reply: Reply, wakeAt: Date): Promise<void> {
  await db.update(slackPresses).set({ reply, wakeAt, updatedAt: sql`now()` }).where(isOne(press))
}

/** Has the reply sent again then. */
export async function postponeReply(db: Db, press: SlackPressRow, wakeAt: Date): Promise<void> {
  await db.update(slackPresses).set({ wakeAt }).where(isOne(press))
}

/** There is nothing to be said any more. What remains is that it was pressed, which counts once. */
export async function endReply(db: Db, press: SlackPressRow): Promise<void> {
  await db.update(slackPresses).set({ reply: null, sealedResponseUrl: null, wakeAt: null }).where(isOne(press))
}

/** The replies whose message to the engine was lost, or that are to be tried again. */
export const dueSlackReplies = overdueIn(slackPresses, {
  service: slackPressService,
  messagesOf: (rows) => rows.map(({ id }) => toSlackPress(id)),
  graceMs: 0,
})

/** Far longer than a signature counts, and than Slack takes an answer. Milliseconds. */
const keptMs = 2 * 3_600_000

export async function forgetSlackPresses(db: Db, now: Date): Promise<void> {
  await db.delete(slackPresses).where(lt(slackPresses.createdAt, new Date(now.getTime() - keptMs)))
}
