import { deployments } from '../../delivery/deployments/store/tables.ts'
import { memberships, organizations, users } from '../../identity/organizations/tables.ts'
import { pipelineRuns } from '../../pipelines/pipelines/tables.ts'
import { and, eq, gt, inArray, isNotNull, notExists, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { lockReceiver } from '../notification-channels/store.ts'
import {
  type NotificationChannelRow,
  notificationChannels,
  notificationPositions,
} from '../notification-channels/tables.ts'
import { type NotificationDeliveryRow, notificationDeliveries } from '../notification-deliveries/tables.ts'
import { defaultSettings } from './settings.ts'

const isOf = (organizationId: string) =>
  and(eq(notificationChannels.organizationId, organizationId), isNotNull(notificationChannels.membershipId))

/** Returns the stored mail settings of an organization's members. */
export const settingsOfAll = (db: Db, organizationId: string): Promise<NotificationChannelRow[]> =>
  db.select().from(notificationChannels).where(isOf(organizationId))

type Whose = { organizationId: string; membershipId: string }

export async function findSettings(
  db: Db,
  { organizationId, membershipId }: Whose,
): Promise<NotificationChannelRow | undefined> {
  const [row] = await db
    .select()
    .from(notificationChannels)
    .where(and(isOf(organizationId), eq(notificationChannels.membershipId, membershipId)))
  return row
}

/** Inserts default settings for members who have none. Earlier events are not sent. */
export async function ensureSettings(
  tx: Db,
  organizationId: string,
  members: readonly { id: string; toldSince: Date }[],
): Promise<void> {
  if (members.length === 0) return
  const how = { kind: 'EMAIL', name: 'Mail', createdBy: 'Sluice', ...defaultSettings } as const
  await tx
    .insert(notificationChannels)
    .values(
      members.map(({ id, toldSince }) => ({
        id: newId('nch'),
        organizationId,
        membershipId: id,
        recipients: [id],
        toldSince,
        ...how,
      })),
    )
    .onConflictDoNothing()
}

/** Locks and returns a member's settings until the transaction ends, inserting defaults if needed. */
export async function lockSettings(tx: Db, whose: Whose, now: Date): Promise<NotificationChannelRow> {
  await ensureSettings(tx, whose.organizationId, [{ id: whose.membershipId, toldSince: now }])
  const found = await findSettings(tx, whose)
  const row = found && (await lockReceiver(tx, whose.organizationId, found.id))
  if (!row) throw new Error(`the settings of ${whose.membershipId} were kept and are gone`)
  return row
}

export type Member = Pick<typeof memberships.$inferSelect, 'id' | 'role' | 'createdAt'> & { email: string }

export const membersOf = (db: Db, organizationId: string): Promise<Member[]> =>
  db
    .select({ id: memberships.id, role: memberships.role, createdAt: memberships.createdAt, email: users.email })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(eq(memberships.organizationId, organizationId))

/** Returns who started deployments and runs, by record id. */
export async function startersOf(
  db: Db,
  organizationId: string,
  recordIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (recordIds.length === 0) return new Map()
  const ofDeployments = await db
    .select({ id: deployments.id, starterId: deployments.triggeredById })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), inArray(deployments.id, [...recordIds])))
  const ofRuns = await db
    .select({ id: pipelineRuns.id, starterId: pipelineRuns.actsFor })
    .from(pipelineRuns)
    .where(and(eq(pipelineRuns.organizationId, organizationId), inArray(pipelineRuns.id, [...recordIds])))
  return new Map([...ofDeployments, ...ofRuns].map(({ id, starterId }) => [id, starterId]))
}

type Telling = Pick<NotificationDeliveryRow, 'channelId' | 'eventId'>

/** Returns a function that reports whether an event was already sent to a channel or is pending. */
export async function alreadySent(
  db: Db,
  organizationId: string,
  tellings: readonly Telling[],
): Promise<(one: Telling) => boolean> {
  const { channelId, eventId } = notificationDeliveries
  const rows = await db
    .select({ channelId, eventId })
    .from(notificationDeliveries)
    .where(
      and(
        eq(notificationDeliveries.organizationId, organizationId),
        inArray(channelId, [...new Set(tellings.map((one) => one.channelId))]),
        inArray(eventId, [...new Set(tellings.map((one) => one.eventId))]),
      ),
    )
  const known = new Set(rows.map(nameOf))
  return (one) => known.has(nameOf(one))
}

const nameOf = ({ channelId, eventId }: Telling): string => `${channelId} ${eventId}`

/** Counts the immediate deliveries since a time, by channel. */
export async function countImmediate(
  db: Db,
  organizationId: string,
  { channelIds, since }: { channelIds: readonly string[]; since: Date },
): Promise<ReadonlyMap<string, number>> {
  if (channelIds.length === 0) return new Map()
  const { channelId, createdAt, isHeldBack } = notificationDeliveries
  const rows = await db
    .select({ channelId, count: sql<number>`count(*)::int` })
    .from(notificationDeliveries)
    .where(
      and(
        eq(notificationDeliveries.organizationId, organizationId),
        inArray(channelId, [...channelIds]),
        eq(isHeldBack, false),
        gt(createdAt, since),
      ),
    )
    .groupBy(channelId)
  return new Map(rows.map((row) => [row.channelId, row.count]))
}

/** Selects organizations with a member who has not disabled mail. */
const isWantedIn = (db: Db, organizationId: string | typeof organizations.id): SQL =>
  sql`exists ${db
    .select({ one: sql`1` })
    .from(memberships)
    .where(
      and(
        eq(memberships.organizationId, organizationId),
        notExists(
          db
            .select({ one: sql`1` })
            .from(notificationChannels)
            .where(and(eq(notificationChannels.membershipId, memberships.id), eq(notificationChannels.enabled, false))),
        ),
      ),
    )}`

/** Reports whether any member of the organization wants mail. */
export async function isMailWanted(db: Db, organizationId: string): Promise<boolean> {
  const [row] = await db
    .select({ id: organizations.id })
    .from(organizations)
    .where(and(eq(organizations.id, organizationId), isWantedIn(db, organizationId)))
  return row !== undefined
}

/** Selects organizations whose members want mail and whose changes are not processed yet. */
export const organizationsToProcess = (db: Db) =>
  db
    .select({ id: organizations.id })
    .from(organizations)
    .where(
      and(
        notExists(
          db
            .select({ one: sql`1` })
            .from(notificationPositions)
            .where(eq(notificationPositions.organizationId, organizations.id)),
        ),
        isWantedIn(db, organizations.id),
      ),
    )
