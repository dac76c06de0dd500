import type { ChangingResource } from '@sluice/contract'
import type { Logger } from 'pino'
import { lineToWire } from '../../identity/audit-events/wire.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import type { Sweep } from '../../platform/db/sweeps.ts'
import { delayedUntil, isUrgent } from '../notification-channels/quiet.ts'
import {
  advancePositions,
  advanceReminder,
  allPositions,
  countChannels,
  enabledChannels,
  findPosition,
  lockPosition,
  startProcessing,
  stopProcessing,
  wakeChannels,
} from '../notification-channels/store.ts'
import {
  type NotificationChannelRow,
  type NotificationPositionRow,
  notificationPositions,
} from '../notification-channels/tables.ts'
import { consumeAuditLines, insertEvents } from '../notification-events/store.ts'
import { audienceIn, isOfTeam } from '../people/audience.ts'
import { isMailWanted, organizationsToProcess } from '../people/store.ts'
import { eventOfAuditLine, eventsOfCertificate, eventsOfConnection, eventsOfFilesDrift } from './events/audit-lines.ts'
import { eventsOfDeployment, type NotifiableDeployment, remindersOfDeployment } from './events/deployments.ts'
import { eventsOfDrift, eventsOfHold, eventsOfPreview } from './events/environments.ts'
import type { DigestOf, LinkTo } from './events/parts.ts'
import { eventsOfRun, type NotifiableRun, remindersOfRun } from './events/runs.ts'
import { dueOf, type Event, isResolvedBy, type Reminder, subscribesTo } from './machine.ts'
import {
  notifiableCertificates,
  notifiableConnections,
  notifiableDeployments,
  notifiableDrifts,
  notifiableFilesDrifts,
  notifiableHolds,
  notifiablePreviews,
  notifiableRuns,
} from './notifiable-records.ts'
import { effectiveDays, filterFollowUpDeliveries, insertDeliveries } from './store.ts'

type Position = { transactionId: bigint; atMs: number }
type Noted = { organizationId: string; transactionId: bigint; resource: ChangingResource; id: string }

/** Reads the changes recorded by triggers, like `interface/changes`. */
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
  /** Whether the operator has configured mail, so that members are notified as well. */
  sendsMail: boolean
  clock: () => Date
  log: Logger
}

/** Maximum age of a position to continue from, in milliseconds. Changes are retained twice as long. */
const resumableMs = 5 * 60_000
/** Maximum age of a position without any changes, in milliseconds. */
const idleMs = 10_000
/**
 * Maximum age of changes to notify about, in milliseconds: less than the retention of deliveries, which prevent
 * duplicates.
 */
const horizonMs = (effectiveDays - 10) * 86_400_000
/** Batch size for reading records and inserting deliveries. */
const atOnce = 200

/**
 * Returns the periodic task that turns changes and reminders into events and deliveries. Processing a change twice,
 * after a crash or by two processes, creates each delivery once.
 */
export const changeProcessingTask = (parts: LookParts): Sweep => ({
  what: 'notifications of channels',
  due: sql`select 1 from ${notificationPositions}`,
  sweep: () => look(parts),
})

/**
 * Returns the periodic task that starts processing for organizations whose members want mail, if the operator
 * configured it.
 */
export const mailProcessingTask = ({ db }: Pick<LookParts, 'db'>): Sweep => ({
  what: 'notifications by mail',
  due: organizationsToProcess(db).limit(1).getSQL(),
  async sweep() {
    for (const { id } of await organizationsToProcess(db)) await startProcessing(db, id)
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
    // One organization's error does not affect the others; the next run tries again.
    if (changed)
      await storeChanges(parts, seen, position, changed).catch((err) => log.warn({ err, organizationId }, trouble))
    else if (position.atMs - readAt.getTime() > idleMs) idle.push(organizationId)
  }
  if (idle.length > 0) await advancePositions(db, idle, position)
}

/**
 * Processes one organization now, so that its first event reader gets the events of the last day. Waits for processing
 * in progress.
 */
export async function processOrganization(parts: LookParts, organizationId: string): Promise<void> {
  const seen = await findPosition(parts.db, organizationId)
  if (!seen) return
  const { position } = await parts.readChanges(parts.db, seen.transactionId, [organizationId])
  await storeChanges(parts, seen, position, { since: processedUntil(seen), hasLines: false }, { waits: true })
}

const trouble = 'changes for notification channels could not be read; retrying soon'

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

/** Changes of an organization, and whether audit events are pending. */
type Noticed = { noted: Noted[]; hasLines: boolean }

/** Time since which records changed, with their ids if known. */
type Changed = Pick<Noticed, 'hasLines'> & { since: Date; ids?: Record<keyof typeof interesting, string[]> }

/**
 * Returns the time before which all changes are processed. Changes are recorded before their transaction commits, hence
 * the margin.
 */
const processedUntil = ({ readAt }: NotificationPositionRow): Date => new Date(readAt.getTime() - resumableMs)

/**
 * Returns the changes after a position. Without ids if the position is too old or a reminder is due; undefined if
 * nothing changed.
 */
function changedSince(
  seen: NotificationPositionRow,
  present: Position,
  { noted, hasLines }: Noticed,
  now: Date,
): Changed | undefined {
  const since = processedUntil(seen)
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

/** Inserts an organization's events and deliveries and advances its position, in one transaction. */
function storeChanges(
  { ofOrganization, linkTo, digestOf, sendsMail, clock }: LookParts,
  seen: NotificationPositionRow,
  position: Position,
  changed: Changed,
  { waits = false } = {},
): Promise<void> {
  const { organizationId } = seen
  return ofOrganization(organizationId).transaction(async (tx) => {
    const taken = await lockPosition(tx, seen, { waits })
    if (!taken) return
    const enabled = await enabledChannels(tx, organizationId)
    const [channels, ofTeams] = [enabled.filter(({ teamId }) => teamId === null), enabled.filter(isOfTeam)]
    const mayBeNone = enabled.length === 0 && !taken.isAskedFor
    // The channels may have been deleted with their projects.
    if (mayBeNone && !(await hasReceivers(tx, organizationId, sendsMail))) return stopProcessing(tx, organizationId)
    const now = clock()
    const peopleToldOf = sendsMail ? audienceIn(tx, organizationId, { ofTeams, now }) : async () => []
    const heldOf = new Map(channels.map((channel) => [channel.id, delayedUntil(channel, now)]))
    const oldest = new Date(now.getTime() - horizonMs).toISOString()
    const heldBack = (delivery: ReturnType<typeof deliveriesOf>[number]) => ({
      ...delivery,
      heldUntil: isUrgent(delivery.payload.type) ? undefined : heldOf.get(delivery.channelId),
    })
    const woken = new Set<string>()
    let remindAt: Date | undefined
    const found = newsIn(tx, organizationId, changed, { linkTo, digestOf })
    // Events found for a whole day at once are numbered in chronological order.
    const news = changed.ids === undefined ? [await inOrder(found)] : found
    for await (const { events: past, reminders } of news) {
      const { due, nextAt } = dueOf(reminders, now)
      remindAt = earlierOf(remindAt, nextAt)
      const recent = [...past, ...due].filter(({ payload }) => payload.timestamp >= oldest)
      for (const some of chunksOf(recent)) await insertEvents(tx, organizationId, some)
      for (const some of chunksOf(
        recent.flatMap((event) => deliveriesOf(event, channels, subscribesTo)).map(heldBack),
      )) {
        for (const { channelId } of await insertDeliveries(tx, organizationId, some, now)) woken.add(channelId)
      }
      for (const some of chunksOf(recent))
        for (const { channelId } of await insertDeliveries(tx, organizationId, await peopleToldOf(some), now))
          woken.add(channelId)
      const resolving = await filterFollowUpDeliveries(
        tx,
        organizationId,
        recent.flatMap((event) => deliveriesOf(event, channels, isResolvedBy)),
      )
      for (const some of chunksOf(resolving)) {
        for (const { channelId } of await insertDeliveries(tx, organizationId, some, now)) woken.add(channelId)
      }
    }
    if (woken.size > 0) await wakeChannels(tx, organizationId, [...woken], now)
    const reminding = changed.ids === undefined ? { remindAt: remindAt ?? null } : advanceReminder(remindAt)
    await advancePositions(tx, [organizationId], position, reminding)
  })
}

/** Reports whether there are channels, enabled or not, or members with email notifications. */
export const hasReceivers = async (tx: Db, organizationId: string, sendsMail: boolean): Promise<boolean> =>
  (await countChannels(tx, organizationId)) > 0 || (sendsMail && (await isMailWanted(tx, organizationId)))

/** Returns the deliveries of an event to the channels that it concerns. */
const deliveriesOf = (
  { id: eventId, recordId, payload, ...place }: Event,
  channels: NotificationChannelRow[],
  isFor: (channel: NotificationChannelRow, event: Event) => boolean,
) =>
  channels
    .filter((channel) => isFor(channel, { id: eventId, recordId, payload, ...place }))
    .map(({ id: channelId }) => ({ channelId, eventId, recordId, payload }))

/** Events of records, and reminders that will become due. */
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
  const ofDeployments = (rows: NotifiableDeployment[]): News => ({
    events: rows.flatMap((row) => eventsOfDeployment(row, linkTo, digestOf)),
    reminders: rows.flatMap((row) => remindersOfDeployment(row, linkTo, digestOf)),
  })
  const ofRuns = (runs: NotifiableRun[]): News => ({
    events: runs.flatMap((run) => eventsOfRun(run, linkTo)),
    reminders: runs.flatMap((run) => remindersOfRun(run, linkTo)),
  })
  const past = (events: Event[]): News => ({ events, reminders: [] })
  const { since, ids, hasLines } = changed
  if (hasLines)
    yield past((await consumeAuditLines(tx, organizationId)).map((line) => eventOfAuditLine(lineToWire(line), linkTo)))
  if (!ids || ids['cloud-accounts'].length > 0)
    yield past(
      (await notifiableConnections(tx, organizationId, since)).flatMap((line) => eventsOfConnection(line, linkTo)),
    )
  if (!ids || ids.certificates.length > 0)
    yield past(
      (await notifiableCertificates(tx, organizationId, since)).flatMap((line) => eventsOfCertificate(line, linkTo)),
    )
  if (!ids || ids['watched-repositories'].length > 0)
    yield past(
      (await notifiableFilesDrifts(tx, organizationId, since)).flatMap((line) => eventsOfFilesDrift(line, linkTo)),
    )
  for (const some of parts(ids?.holds, since))
    yield past((await notifiableHolds(tx, organizationId, some)).flatMap((row) => eventsOfHold(row, linkTo)))
  for (const some of parts(ids?.['preview-environments'], since))
    yield past((await notifiablePreviews(tx, organizationId, some)).flatMap((row) => eventsOfPreview(row, linkTo)))
  for (const some of parts(ids?.['pipeline-runs'], since))
    yield past((await notifiableDrifts(tx, organizationId, some)).flatMap((row) => eventsOfDrift(row, linkTo)))
  if (!ids) {
    for (const row of await notifiableDeployments(tx, organizationId, changed)) yield ofDeployments([row])
    for (const run of await notifiableRuns(tx, organizationId, changed)) yield ofRuns([run])
    return
  }
  for (const some of chunksOf(ids.deployments))
    yield ofDeployments(await notifiableDeployments(tx, organizationId, { ids: some }))
  for (const some of chunksOf(ids['pipeline-runs']))
    yield ofRuns(await notifiableRuns(tx, organizationId, { ids: some }))
  for (const some of chunksOf(ids['pipeline-step-executions']))
    yield ofRuns(await notifiableRuns(tx, organizationId, { ids: [] }, some))
}

/** Splits ids into batches, or returns one batch for everything since a time. */
const parts = (ids: string[] | undefined, since: Date) =>
  ids === undefined ? [{ since }] : chunksOf(ids).map((some) => ({ ids: some }))

const earlierOf = (one: Date | undefined, other: Date | undefined): Date | undefined =>
  one && other ? (one < other ? one : other) : (one ?? other)

const chunksOf = <T>(all: T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / atOnce) }, (_, at) => all.slice(at * atOnce, (at + 1) * atOnce))
