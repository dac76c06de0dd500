import { memberships, users } from '../../identity/organizations/tables.ts'
import { shareLockTeam } from '../../identity/teams/store.ts'
import { teamMembers } from '../../identity/teams/tables.ts'
import { and, eq, getTableColumns, inArray, isNull, lte, notExists, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { overdueIn } from '../../platform/engine/overdue.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { notifiableAuditEvents, notificationEvents } from '../notification-events/tables.ts'
import {
  type NotificationChannelRow,
  type NotificationPositionRow,
  notificationChannels,
  notificationPositions,
} from './tables.ts'
import { channelService, toChannel } from './wake.ts'

const one = (organizationId: string, id: string) =>
  and(eq(notificationChannels.organizationId, organizationId), eq(notificationChannels.id, id))

/** Selects channels of the organization, and excludes members' personal mail settings. */
const isShared = isNull(notificationChannels.membershipId)

const isOf = (organizationId: string) => eq(notificationPositions.organizationId, organizationId)

/**
 * Starts to process the organization's changes if that has not started, and reschedules reminders. Locks the position,
 * so that its channels cannot change until the transaction ends.
 */
export async function startProcessing(tx: Db, organizationId: string): Promise<void> {
  await insertPosition(tx, organizationId, sql`now()`, {})
}

/**
 * Starts to process changes for readers of the event API, regardless of channels, and includes what ended within the
 * last day.
 */
export const enableEventProcessing = (tx: Db, organizationId: string): Promise<void> =>
  insertPosition(tx, organizationId, sql`now() - interval '1 day'`, { isAskedFor: true })

async function insertPosition(
  tx: Db,
  organizationId: string,
  since: SQL,
  wanted: { isAskedFor?: true },
): Promise<void> {
  await tx
    .insert(notificationPositions)
    .values({
      organizationId,
      transactionId: sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`,
      readAt: since,
      ...wanted,
    })
    .onConflictDoUpdate({ target: notificationPositions.organizationId, set: { remindAt: sql`now()`, ...wanted } })
}

/** Stops processing changes if there are no channels, mail recipients or event readers. */
export async function stopProcessing(tx: Db, organizationId: string): Promise<void> {
  const [ended] = await tx
    .delete(notificationPositions)
    .where(and(isOf(organizationId), eq(notificationPositions.isAskedFor, false)))
    .returning({ organizationId: notificationPositions.organizationId })
  // Events from now on are not recorded, so the partial history is deleted.
  if (!ended) return
  await tx.delete(notificationEvents).where(eq(notificationEvents.organizationId, organizationId))
  await tx.delete(notifiableAuditEvents).where(eq(notifiableAuditEvents.organizationId, organizationId))
}

export async function findPosition(db: Db, organizationId: string): Promise<NotificationPositionRow | undefined> {
  const [row] = await db.select().from(notificationPositions).where(isOf(organizationId))
  return row
}

/** Lists all positions, with whether audit events are pending for them. */
export function allPositions(db: Db): Promise<(NotificationPositionRow & { hasLines: boolean })[]> {
  const { organizationId } = notifiableAuditEvents
  const withLines = db.selectDistinct({ organizationId }).from(notifiableAuditEvents).as('with_lines')
  return db
    .select({
      ...getTableColumns(notificationPositions),
      hasLines: sql<boolean>`${withLines.organizationId} is not null`,
    })
    .from(notificationPositions)
    .leftJoin(withLines, eq(withLines.organizationId, notificationPositions.organizationId))
}

/** Locks the position, unless another process advanced it or holds the lock and `waits` is false. */
export async function lockPosition(
  tx: Db,
  seen: NotificationPositionRow,
  { waits = false } = {},
): Promise<NotificationPositionRow | undefined> {
  const [row] = await tx
    .select()
    .from(notificationPositions)
    .where(and(isOf(seen.organizationId), eq(notificationPositions.transactionId, seen.transactionId)))
    .for('update', waits ? {} : { skipLocked: true })
  return row
}

/** Returns an update that moves the next reminder forward to this time, but never back. */
export const advanceReminder = (at: Date | undefined): { remindAt?: SQL } =>
  at === undefined
    ? {}
    : { remindAt: sql`least(${notificationPositions.remindAt}, ${sql.param(at, notificationPositions.remindAt)})` }

/** Advances the positions of organizations after their changes were processed. */
export async function advancePositions(
  db: Db,
  organizationIds: string[],
  { transactionId, atMs }: { transactionId: bigint; atMs: number },
  reminding: { remindAt?: Date | SQL | null } = {},
): Promise<void> {
  const { organizationId } = notificationPositions
  await db
    .update(notificationPositions)
    .set({ transactionId, readAt: new Date(atMs), ...reminding })
    .where(and(inArray(organizationId, organizationIds), lte(notificationPositions.transactionId, transactionId)))
}

/** Makes positions find changes by time, for a restored database whose transaction numbers restart. */
export async function resetPollerPositions(db: Db): Promise<void> {
  const { readAt } = notificationPositions
  // Older than the maximum age at which a position continues by transaction number.
  await db.update(notificationPositions).set({ transactionId: 0n, readAt: sql`${readAt} - interval '10 minutes'` })
}

export async function insertChannel(
  tx: Db,
  row: typeof notificationChannels.$inferInsert,
): Promise<NotificationChannelRow> {
  const [inserted] = await tx.insert(notificationChannels).values(row).returning()
  if (!inserted) throw new Error('the channel was not inserted')
  return inserted
}

export const listChannels = (
  db: Db,
  organizationId: string,
  page: PageBounds,
): Promise<PageRows<NotificationChannelRow>> =>
  selectPage(db, notificationChannels, and(eq(notificationChannels.organizationId, organizationId), isShared), page)

export const countChannels = (db: Db, organizationId: string): Promise<number> =>
  db.$count(notificationChannels, and(eq(notificationChannels.organizationId, organizationId), isShared))

export const enabledChannels = (db: Db, organizationId: string): Promise<NotificationChannelRow[]> =>
  db
    .select()
    .from(notificationChannels)
    .where(
      and(eq(notificationChannels.organizationId, organizationId), eq(notificationChannels.enabled, true), isShared),
    )

export async function findChannel(
  db: Db,
  organizationId: string,
  id: string,
): Promise<NotificationChannelRow | undefined> {
  const [row] = await db
    .select()
    .from(notificationChannels)
    .where(and(one(organizationId, id), isShared))
  return row
}

/** Loads a channel for the durable object, which then acts for the channel's organization. */
export async function loadChannel(db: Db, id: string): Promise<NotificationChannelRow | undefined> {
  const [row] = await db.select().from(notificationChannels).where(eq(notificationChannels.id, id))
  return row
}

/** Locks and returns a channel of the organization until the transaction ends. */
export const lockChannel = (tx: Db, organizationId: string, id: string): Promise<NotificationChannelRow | undefined> =>
  lockOne(tx, and(one(organizationId, id), isShared))

/** Locks and returns a channel or personal mail settings until the transaction ends. */
export const lockReceiver = (tx: Db, organizationId: string, id: string): Promise<NotificationChannelRow | undefined> =>
  lockOne(tx, one(organizationId, id))

async function lockOne(tx: Db, which: SQL | undefined): Promise<NotificationChannelRow | undefined> {
  const [row] = await tx.select().from(notificationChannels).where(which).for('update')
  return row
}

export async function updateChannel(
  tx: Db,
  { organizationId, id }: Pick<NotificationChannelRow, 'organizationId' | 'id'>,
  changes: Partial<NotificationChannelRow>,
): Promise<NotificationChannelRow> {
  const [row] = await tx
    .update(notificationChannels)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(one(organizationId, id))
    .returning()
  if (!row) throw new Error(`the channel ${id} was locked and is gone`)
  return row
}

export async function removeChannel(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<NotificationChannelRow | undefined> {
  const [row] = await tx.delete(notificationChannels).where(one(organizationId, id)).returning()
  return row
}

/** Sets the next wake-up of channels. This does not count as a change of the resource. */
export async function wakeChannels(tx: Db, organizationId: string, ids: string[], wakeAt: Date | null): Promise<void> {
  await tx
    .update(notificationChannels)
    .set({ wakeAt })
    .where(and(eq(notificationChannels.organizationId, organizationId), inArray(notificationChannels.id, ids)))
}

/** Returns the first referenced project, environment, member or team that does not exist. */
export async function findMissingReference(
  tx: Db,
  organizationId: string,
  { projectId, environmentIds, recipients = [], teamId }: Named,
): Promise<{ field: 'projectId' | 'environmentIds' | 'recipients' | 'teamId'; id: string } | undefined> {
  if (projectId !== null) {
    const isIt = and(eq(projects.organizationId, organizationId), eq(projects.id, projectId))
    const [row] = await tx.select({ id: projects.id }).from(projects).where(isIt).for('key share')
    if (!row) return { field: 'projectId', id: projectId }
  }
  if (teamId !== undefined && !(await shareLockTeam(tx, organizationId, teamId))) return { field: 'teamId', id: teamId }
  const membershipIds = recipients.filter(isMembership)
  const members = await membersAmong(tx, organizationId, membershipIds)
  const stranger = membershipIds.find((id) => !members.some((member) => member.id === id))
  if (stranger !== undefined) return { field: 'recipients', id: stranger }
  if (environmentIds.length === 0) return undefined
  const inPlace = projectId === null ? undefined : eq(environments.projectId, projectId)
  const rows = await tx
    .select({ id: environments.id })
    .from(environments)
    .where(and(eq(environments.organizationId, organizationId), inPlace, inArray(environments.id, [...environmentIds])))
  const absent = environmentIds.find((id) => !rows.some((row) => row.id === id))
  return absent === undefined ? undefined : { field: 'environmentIds', id: absent }
}

/** Returns the first project or environment that does not exist or that the caller cannot see. */
export async function findMissingScope(
  tx: Db,
  organizationId: string,
  { projectIds = [], environmentIds = [] }: { projectIds?: readonly string[]; environmentIds?: readonly string[] },
): Promise<{ field: string; noun: string; id: string } | undefined> {
  const there = await tx
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.organizationId, organizationId), inArray(projects.id, [...projectIds])))
  const project = projectIds.find((id) => !there.some((row) => row.id === id))
  if (project !== undefined) return { field: 'projectIds', noun: 'project', id: project }
  const absent = await findMissingReference(tx, organizationId, { projectId: null, environmentIds })
  return absent && { field: 'environmentIds', noun: 'environment', id: absent.id }
}

type Named = {
  projectId: string | null
  environmentIds: readonly string[]
  recipients?: readonly string[] | undefined
  teamId?: string | undefined
}

/** Reports whether a recipient is a membership id, which contains no @, unlike an address. */
const isMembership = (recipient: string): boolean => !recipient.includes('@')

/** Returns the mail addresses of a channel's recipients. Omits former members. */
export async function addressesOf(
  db: Db,
  { organizationId, recipients, teamId }: NotificationChannelRow,
): Promise<string[]> {
  const ids = teamId === null ? recipients.filter(isMembership) : await mailedOf(db, organizationId, teamId)
  const members = await membersAmong(db, organizationId, ids)
  const addresses = recipients.filter((recipient) => !isMembership(recipient))
  return [...new Set([...addresses, ...members.map(({ email }) => email)])]
}

/** Returns the team members who have not disabled mail. */
async function mailedOf(db: Db, organizationId: string, teamId: string): Promise<string[]> {
  const { membershipId: id } = teamMembers
  const isOff = and(eq(notificationChannels.membershipId, id), eq(notificationChannels.enabled, false))
  const off = db.select({ one: sql`1` }).from(notificationChannels).where(isOff)
  const isOf = and(eq(teamMembers.organizationId, organizationId), eq(teamMembers.teamId, teamId))
  const rows = await db
    .select({ id })
    .from(teamMembers)
    .where(and(isOf, notExists(off)))
  return rows.flatMap((row) => row.id ?? [])
}

/** Returns the mail addresses of an organization's owners. */
export async function addressesOfOwners(db: Db, organizationId: string): Promise<string[]> {
  const owners = await db
    .select({ email: users.email })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.organizationId, organizationId), eq(memberships.role, 'OWNER')))
  return owners.map(({ email }) => email)
}

async function membersAmong(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<{ id: string; email: string }[]> {
  if (ids.length === 0) return []
  return db
    .select({ id: memberships.id, email: users.email })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.organizationId, organizationId), inArray(memberships.id, [...ids])))
}

/** Returns wake-up messages for channels that are due. */
export const dueChannels = overdueIn(notificationChannels, {
  service: channelService,
  messagesOf: (rows) => rows.map(({ id }) => toChannel(id)),
  graceMs: 0,
})
