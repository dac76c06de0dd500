import { belongsToChannel, severityOf } from '@sluice/contract'
import { teamsOfMembers } from '../../identity/teams/members.ts'
import { sees } from '../../platform/auth/access.ts'
import type { Db } from '../../platform/db/open.ts'
import { accessOfMembers } from '../../projects/role-grants/access.ts'
import { delayedUntil, isUrgent } from '../notification-channels/quiet.ts'
import type { NotificationChannelRow } from '../notification-channels/tables.ts'
import { type Event, subscribesTo } from '../notification-deliveries/machine.ts'
import type { NotificationDeliveryRow } from '../notification-deliveries/tables.ts'
import { approversOf, type MemberWithAccess } from './approvers.ts'
import { defaultSettings, type Settings, tellsApprovers, tellsStarter, wantsMailAbout } from './settings.ts'
import { alreadySent, countImmediate, ensureSettings, membersOf, settingsOfAll, startersOf } from './store.ts'

type ForPerson = Pick<NotificationDeliveryRow, 'channelId' | 'eventId' | 'recordId' | 'payload'> & {
  heldUntil: Date | undefined
}

/** Maximum age of events to send to members without earlier mail, in milliseconds. */
const freshMs = 3_600_000

/** Maximum number of mails per member and hour. Further notifications are combined into one mail at the full hour. */
export const maxPerHour = 20
const hourMs = 3_600_000

/** Channel for the members of a team. */
type TeamChannel = NotificationChannelRow & { teamId: string }
export const isOfTeam = (row: NotificationChannelRow): row is TeamChannel => row.teamId !== null

type Listening = {
  /** Channels that notify the members of a team. */
  ofTeams: readonly TeamChannel[]
  now: Date
}

/** Returns a function that finds the members to notify of an event, and when. */
export function audienceIn(tx: Db, organizationId: string, { ofTeams, now }: Listening) {
  const known = once(
    async () => new Map((await settingsOfAll(tx, organizationId)).map((row) => [row.membershipId, row])),
  )
  const able = once(async () => {
    const members = await membersOf(tx, organizationId)
    const access = await accessOfMembers(tx, organizationId, members)
    return members.flatMap((member) => {
      const own = access.get(member.id)
      return own ? [{ ...member, access: own }] : []
    })
  })
  const teamsOf = once(async () => {
    const ids = ofTeams.length === 0 ? [] : (await able()).map(({ id }) => id)
    return teamsOfMembers(tx, organizationId, ids)
  })
  const pending = new Map<string, number>()

  return async (events: readonly Event[]): Promise<ForPerson[]> => {
    const rowOf = await known()
    const teamsTold = new Map(events.map((event) => [event, ofTeams.filter((channel) => subscribesTo(channel, event))]))
    const some = events.filter(
      (event) => mayHaveRecipients(event, [...rowOf.values()]) || (teamsTold.get(event) ?? []).length > 0,
    )
    if (some.length === 0) return []
    const [members, teams] = [await able(), await teamsOf()]
    const starterOf = await startersOf(
      tx,
      organizationId,
      some.filter(tellsStarter).map(({ recordId }) => recordId),
    )
    const recipients: { member: MemberWithAccess; event: Event }[] = []
    for (const event of some) {
      const approvers = tellsApprovers(event)
        ? await approversOf(tx, organizationId, { event, members, now })
        : new Set<string>()
      const isTold = (member: MemberWithAccess) => {
        const row = rowOf.get(member.id)
        const part = {
          isStarter: starterOf.get(event.recordId) === member.id,
          mayApprove: approvers.has(member.id),
          isOwner: member.role === 'OWNER',
          isInTeamTold: (teamsTold.get(event) ?? []).some(({ teamId }) => teams.get(member.id)?.includes(teamId)),
        }
        const since = row?.toldSince ?? newcomerSince(member, now)
        return (
          new Date(event.payload.timestamp) >= since &&
          seesEvent(member, event) &&
          wantsMailAbout(row ?? defaultSettings, event, part)
        )
      }
      recipients.push(...members.filter(isTold).map((member) => ({ member, event })))
    }
    return toDeliveries(recipients)
  }

  async function toDeliveries(told: readonly { member: MemberWithAccess; event: Event }[]): Promise<ForPerson[]> {
    if (told.length === 0) return []
    const rowOf = await known()
    const strangers = [...new Set(told.map(({ member }) => member))].filter(({ id }) => !rowOf.has(id))
    if (strangers.length > 0) {
      const kept = strangers.map((member) => ({ id: member.id, toldSince: newcomerSince(member, now) }))
      await ensureSettings(tx, organizationId, kept)
      for (const row of await settingsOfAll(tx, organizationId)) rowOf.set(row.membershipId, row)
    }
    const all = told.flatMap(({ member, event }) => {
      const row = rowOf.get(member.id)
      return row ? [{ row, event }] : []
    })
    // Each change of a record produces all of its events again, so those already sent are skipped.
    const wasTold = await alreadySent(
      tx,
      organizationId,
      all.map(({ row, event }) => ({ channelId: row.id, eventId: event.id })),
    )
    const pairs = all.filter(({ row, event }) => !wasTold({ channelId: row.id, eventId: event.id }))
    const unknown = [...new Set(pairs.map(({ row }) => row.id))].filter((id) => !pending.has(id))
    const since = new Date(now.getTime() - hourMs)
    const counts = await countImmediate(tx, organizationId, { channelIds: unknown, since })
    for (const id of unknown) pending.set(id, counts.get(id) ?? 0)
    return pairs.map(({ row, event }) => {
      const before = pending.get(row.id) ?? 0
      const until = personDelayedUntil(row, event, { before, now })
      if (until === undefined) pending.set(row.id, before + 1)
      return {
        channelId: row.id,
        eventId: event.id,
        recordId: event.recordId,
        payload: event.payload,
        heldUntil: until,
      }
    })
  }
}

/**
 * Returns until when a member's notification is delayed, given the mails of the last hour; undefined to send it at
 * once.
 */
export function personDelayedUntil(
  settings: Pick<Settings, 'quietHours' | 'digest' | 'timeZone'>,
  { payload }: Pick<Event, 'payload'>,
  { before, now }: { before: number; now: Date },
): Date | undefined {
  const isAtOnce = isUrgent(payload.type)
  const until = isAtOnce ? undefined : delayedUntil(settings, now)
  if (until !== undefined || before < maxPerHour) return until
  return delayedUntil({ ...settings, ...(isAtOnce && { quietHours: [] }), digest: 'HOURLY' }, now)
}

/** Reports whether an event may concern any member, to avoid needless queries. */
const mayHaveRecipients = (event: Event, rows: readonly NotificationChannelRow[]): boolean =>
  tellsStarter(event) ||
  tellsApprovers(event) ||
  (!belongsToChannel(event.payload.type) && severityOf(event.payload.type) === 'CRITICAL') ||
  rows.some(({ enabled, topics }) => enabled && topics.includes('FOLLOWED'))

const newcomerSince = ({ createdAt }: MemberWithAccess, now: Date): Date =>
  new Date(Math.max(createdAt.getTime(), now.getTime() - freshMs))

const seesEvent = ({ access }: MemberWithAccess, { projectId, environmentId }: Event): boolean =>
  projectId === null || sees(access, { projectId, environmentId: environmentId ?? undefined })

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return () => {
    asked ??= ask()
    return asked
  }
}
