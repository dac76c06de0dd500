import type { ChangingResource } from '@sluice/contract'
import type { Logger } from 'pino'
import { lineToWire } from '../../identity/audit-events/wire.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import type { Sweep } from '../../platform/db/sweeps.ts'
import { heldUntil, isUrgent } from '../notification-channels/quiet.ts'
import {
  allPositions,
  beginLooking,
  countChannels,
  enabledChannels,
  endLooking,
  findPosition,
  movePositions,
  remindAlso,
  takePosition,
  wakeChannels,
} from '../notification-channels/store.ts'
import {
  type NotificationChannelRow,
  type NotificationPositionRow,
  notificationPositions,
} from '../notification-channels/tables.ts'
import { insertEvents, takeAuditLines } from '../notification-events/store.ts'
import { audienceIn, isOfTeam } from '../people/audience.ts'
import { isMailWanted, organizationsToLookAt } from '../people/store.ts'
import { eventOfAuditLine, eventsOfCertificate, eventsOfConnection, eventsOfFilesDrift } from './events/audit-lines.ts'
import { eventsOfDeployment, remindersOfDeployment, type ToldDeployment } from './events/deployments.ts'
import { eventsOfDrift, eventsOfHold, eventsOfPreview } from './events/environments.ts'
import type { DigestOf, LinkTo } from './events/parts.ts'
import { eventsOfRun, remindersOfRun, type ToldRun } from './events/runs.ts'
import { dueOf, type Event, isResolvedBy, isToldOf, type Reminder } from './machine.ts'
import { effectiveDays, insertDeliveries, ofToldRecords } from './store.ts'
import {
  certificatesToTell,
  connectionsToTell,
  deploymentsToTell,
  driftsToTell,
  filesDriftsToTell,
  holdsToTell,
  previewsToTell,
  runsToTell,
} from './to-tell.ts'

type Position = { transactionId: bigint; atMs: number }
type Noted = { organizationId: string; transactionId: bigint; resource: ChangingResource; id: string }

/** The changes that triggers note, as `interface/changes` reads them. */
export type ReadChanges = (
  db: Db,
  since: bigint,
  organizationIds: readonly string[],
) => Promise<{ position: Position; noted: Noted[] }>

type LookParts = {
  db: Db
  ofOrganization: Database['ofOrganization']
  readChanges: ReadChanges
  linkTo: LinkTo
  digestOf: DigestOf
  /** Whether the operator has set up mail: then people are told as well. */
  sendsMail: boolean
  clock: () => Date
  log: Logger
}

/** How old a position may be that is read on from; changes are kept for twice as long. Milliseconds. */
const resumableMs = 5 * 60_000
/** How old it becomes while nothing happens. Milliseconds. */
const idleMs = 10_000
/** How long ago something may have happened that is still told: less than its delivery is remembered. Milliseconds. */
const horizonMs = (effectiveDays - 10) * 86_400_000
/** Records that are looked at in one go, and deliveries that are added in one. */
const atOnce = 200

/**
 * Looks through what changed in organizations that have channels, people who want mail, or ask for their events, keeps
 * what happened, and has those told whom it concerns; also where nothing changed, but somebody is to be reminded. What
 * is looked at twice, by a second process or after a crash, is told once.
 */
export const lookingForNews = (parts: LookParts): Sweep => ({
  what: 'what notification channels are told',
  due: sql`select 1 from ${notificationPositions}`,
  sweep: () => look(parts),
})

/** Has organizations looked through in which somebody wants mail, where the operator has set it up. */
export const lookingForPeople = ({ db }: Pick<LookParts, 'db'>): Sweep => ({
  what: 'whose people are told by mail',
  due: organizationsToLookAt(db).limit(1).getSQL(),
  async sweep() {
    for (const { id } of await organizationsToLookAt(db)) await beginLooking(db, id)
  },
})

async function look(parts: LookParts): Promise<void> {
  const { db, readChanges, clock, log } = parts
  const positions = await allPositions(db)
  const [first] = positions
  if (!first) return
  const oldest = positions.reduce((least, { transactionId: id }) => (id < least ? id : least), first.transactionId)
  const organizationIds = positions.map(({ organizationId }) => organizationId)
  const { position, noted } = await readChanges(db, oldest, organizationIds)
  const notedOf = Map.groupBy(noted.filter(isOfInterest), ({ organizationId }) => organizationId)
  const idle: string[] = []
  for (const seen of positions) {
    const { organizationId, readAt, hasLines } = seen
    const noticed = { noted: notedOf.get(organizationId) ?? [], hasLines }
    const changed = changedSince(seen, position, noticed, clock())
    // Somebody's trouble is nobody else's: they are looked at again in the next round.
    if (changed) await takeIn(parts, seen, position, changed).catch((err) => log.warn({ err, organizationId }, trouble))
    else if (position.atMs - readAt.getTime() > idleMs) idle.push(organizationId)
  }
  if (idle.length > 0) await movePositions(db, idle, position)
}

/**
 * Looks through one organization now, so that the first caller who asks for its events gets those of the last day.
 * Waits for a look in progress.
 */
export async function lookAtOrganization(parts: LookParts, organizationId: string): Promise<void> {
  const seen = await findPosition(parts.db, organizationId)
  if (!seen) return
  const { position } = await parts.readChanges(parts.db, seen.transactionId, [organizationId])
  await takeIn(parts, seen, position, { since: lookedUntil(seen), hasLines: false }, { waits: true })
}

const trouble = 'what notification channels are to be told could not be looked for; soon again'

const isOfInterest = ({ resource }: Noted): boolean => resource in interesting
const interesting = {
  certificates: true,
  'cloud-accounts': true,
  deployments: true,
  holds: true,
  'pipeline-runs': true,
  'pipeline-step-executions': true,
  'preview-environments': true,
  'watched-repositories': true,
} as const

/** What is new in an organization: changes, and whether lines of the audit log are to be told. */
type Noticed = { noted: Noted[]; hasLines: boolean }

/** Since when something changed, and what; without `ids`, where that is not known. */
type Changed = Pick<Noticed, 'hasLines'> & { since: Date; ids?: Record<keyof typeof interesting, string[]> }

/** Changes are noted before their transaction ends, so from before the position. */
const lookedUntil = ({ readAt }: NotificationPositionRow): Date => new Date(readAt.getTime() - resumableMs)

/**
 * What changed from a position on; since when, where it is too old to know what, or all that is under way is to be
 * looked at; undefined where nothing did.
 */
function changedSince(
  seen: NotificationPositionRow,
  present: Position,
  { noted, hasLines }: Noticed,
  now: Date,
): Changed | undefined {
  const since = lookedUntil(seen)
  const isReminding = seen.remindAt !== null && seen.remindAt <= now
  if (isReminding || present.atMs - seen.readAt.getTime() > resumableMs) return { since, hasLines }
  const fresh = noted.filter(({ transactionId }) => transactionId >= seen.transactionId)
  if (fresh.length === 0 && !hasLines) return undefined
  const idsOf = (resource: keyof typeof interesting) => [
    ...new Set(fresh.flatMap((one) => (one.resource === resource ? [one.id] : []))),
  ]
  const ids = {
    certificates: idsOf('certificates'),
    'cloud-accounts': idsOf('cloud-accounts'),
    deployments: idsOf('deployments'),
    holds: idsOf('holds'),
    'pipeline-runs': idsOf('pipeline-runs'),
    'pipeline-step-executions': idsOf('pipeline-step-executions'),
    'preview-environments': idsOf('preview-environments'),
    'watched-repositories': idsOf('watched-repositories'),
  }
  return { since, ids, hasLines }
}

/**
 * Adds what the channels and the people of an organization are to be told, and moves its position on: neither without
 * the other.
 */
function takeIn(
  { ofOrganization, linkTo, digestOf, sendsMail, clock }: LookParts,
  seen: NotificationPositionRow,
  position: Position,
  changed: Changed,
  { waits = false } = {},
): Promise<void> {
  const { organizationId } = seen
  return ofOrganization(organizationId).transaction(async (tx) => {
    const taken = await takePosition(tx, seen, { waits })
    if (!taken) return
    const enabled = await enabledChannels(tx, organizationId)
    const [channels, ofTeams] = [enabled.filter(({ teamId }) => teamId === null), enabled.filter(isOfTeam)]
    const mayBeNone = enabled.length === 0 && !taken.isAskedFor
    // They may have gone with their projects.
    if (mayBeNone && !(await isAnybodyTold(tx, organizationId, sendsMail))) return endLooking(tx, organizationId)
    const now = clock()
    const peopleToldOf = sendsMail ? audienceIn(tx, organizationId, { ofTeams, now }) : async () => []
    const heldOf = new Map(channels.map((channel) => [channel.id, heldUntil(channel, now)]))
    const oldest = new Date(now.getTime() - horizonMs).toISOString()
    const heldBack = (delivery: ReturnType<typeof deliveriesOf>[number]) => ({
      ...delivery,
      heldUntil: isUrgent(delivery.payload.type) ? undefined : heldOf.get(delivery.channelId),
    })
    const woken = new Set<string>()
    let remindAt: Date | undefined
    const found = newsIn(tx, organizationId, changed, { linkTo, digestOf })
    // What is found of a whole day at once gets its numbers in the order in which it happened.
    const news = changed.ids === undefined ? [await inOrder(found)] : found
    for await (const { events: past, reminders } of news) {
      const { due, nextAt } = dueOf(reminders, now)
      remindAt = earlierOf(remindAt, nextAt)
      const recent = [...past, ...due].filter(({ payload }) => payload.timestamp >= oldest)
      for (const some of chunksOf(recent)) await insertEvents(tx, organizationId, some)
      for (const some of chunksOf(recent.flatMap((event) => deliveriesOf(event, channels, isToldOf)).map(heldBack))) {
        for (const { channelId } of await insertDeliveries(tx, organizationId, some, now)) woken.add(channelId)
      }
      for (const some of chunksOf(recent))
        for (const { channelId } of await insertDeliveries(tx, organizationId, await peopleToldOf(some), now))
          woken.add(channelId)
      const resolving = await ofToldRecords(
        tx,
        organizationId,
        recent.flatMap((event) => deliveriesOf(event, channels, isResolvedBy)),
      )
      for (const some of chunksOf(resolving)) {
        for (const { channelId } of await insertDeliveries(tx, organizationId, some, now)) woken.add(channelId)
      }
    }
    if (woken.size > 0) await wakeChannels(tx, organizationId, [...woken], now)
    const reminding = changed.ids === undefined ? { remindAt: remindAt ?? null } : remindAlso(remindAt)
    await movePositions(tx, [organizationId], position, reminding)
  })
}

/** Whether there are channels, enabled or not, or people who want mail. */
export const isAnybodyTold = async (tx: Db, organizationId: string, sendsMail: boolean): Promise<boolean> =>
  (await countChannels(tx, organizationId)) > 0 || (sendsMail && (await isMailWanted(tx, organizationId)))

/** What the channels are told of an event that it concerns in that way. */
const deliveriesOf = (
  { id: eventId, recordId, payload, ...place }: Event,
  channels: NotificationChannelRow[],
  isFor: (channel: NotificationChannelRow, event: Event) => boolean,
) =>
  channels
    .filter((channel) => isFor(channel, { id: eventId, recordId, payload, ...place }))
    .map(({ id: channelId }) => ({ channelId, eventId, recordId, payload }))

/** What there is to tell of records, and what will be while they wait. */
type News = { events: Event[]; reminders: Reminder[] }

async function inOrder(found: AsyncIterable<News>): Promise<News> {
  const news = await Array.fromAsync(found)
  const time = ({ payload }: Event) => Date.parse(payload.timestamp)
  return {
    events: news.flatMap(({ events }) => events).sort((a, b) => time(a) - time(b)),
    reminders: news.flatMap(({ reminders }) => reminders),
  }
}

async function* newsIn(
  tx: Db,
  organizationId: string,
  changed: Changed,
  { linkTo, digestOf }: Pick<LookParts, 'linkTo' | 'digestOf'>,
): AsyncGenerator<News> {
  const ofDeployments = (rows: ToldDeployment[]): News => ({
    events: rows.flatMap((row) => eventsOfDeployment(row, linkTo, digestOf)),
    reminders: rows.flatMap((row) => remindersOfDeployment(row, linkTo, digestOf)),
  })
  const ofRuns = (runs: ToldRun[]): News => ({
    events: runs.flatMap((run) => eventsOfRun(run, linkTo)),
    reminders: runs.flatMap((run) => remindersOfRun(run, linkTo)),
  })
  const past = (events: Event[]): News => ({ events, reminders: [] })
  const { since, ids, hasLines } = changed
  if (hasLines)
    yield past((await takeAuditLines(tx, organizationId)).map((line) => eventOfAuditLine(lineToWire(line), linkTo)))
  if (!ids || ids['cloud-accounts'].length > 0)
    yield past((await connectionsToTell(tx, organizationId, since)).flatMap((line) => eventsOfConnection(line, linkTo)))
  if (!ids || ids.certificates.length > 0)
    yield past(
      (await certificatesToTell(tx, organizationId, since)).flatMap((line) => eventsOfCertificate(line, linkTo)),
    )
  if (!ids || ids['watched-repositories'].length > 0)
    yield past((await filesDriftsToTell(tx, organizationId, since)).flatMap((line) => eventsOfFilesDrift(line, linkTo)))
  for (const some of parts(ids?.holds, since))
    yield past((await holdsToTell(tx, organizationId, some)).flatMap((row) => eventsOfHold(row, linkTo)))
  for (const some of parts(ids?.['preview-environments'], since))
    yield past((await previewsToTell(tx, organizationId, some)).flatMap((row) => eventsOfPreview(row, linkTo)))
  for (const some of parts(ids?.['pipeline-runs'], since))
    yield past((await driftsToTell(tx, organizationId, some)).flatMap((row) => eventsOfDrift(row, linkTo)))
  if (!ids) {
    for (const row of await deploymentsToTell(tx, organizationId, changed)) yield ofDeployments([row])
    for (const run of await runsToTell(tx, organizationId, changed)) yield ofRuns([run])
    return
  }
  for (const some of chunksOf(ids.deployments))
    yield ofDeployments(await deploymentsToTell(tx, organizationId, { ids: some }))
  for (const some of chunksOf(ids['pipeline-runs'])) yield ofRuns(await runsToTell(tx, organizationId, { ids: some }))
  for (const some of chunksOf(ids['pipeline-step-executions']))
    yield ofRuns(await runsToTell(tx, organizationId, { ids: [] }, some))
}

/** What is to be looked at in turn: the ids, some at a time, or all since then. */
const parts = (ids: string[] | undefined, since: Date) =>
  ids === undefined ? [{ since }] : chunksOf(ids).map((some) => ({ ids: some }))

const earlierOf = (one: Date | undefined, other: Date | undefined): Date | undefined =>
  one && other ? (one < other ? one : other) : (one ?? other)

const chunksOf = <T>(all: T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / atOnce) }, (_, at) => all.slice(at * atOnce, (at + 1) * atOnce))
