import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from '@sluice/calls/usage-error'
import {
  type ChannelFormat,
  type ChannelKind,
  channelFormats,
  channelKinds,
  type Digest,
  digests,
  type NotificationChannel,
  type NotificationDelivery,
  type NotificationType,
  notificationTypes,
  type QuietPeriod,
  type Severity,
  severities,
  weekdays,
} from '@sluice/contract'
import { connect, type UrlOption } from '../connect.ts'
import type { OutputOption } from '../output.ts'
import { printer, printList } from '../print.ts'

export async function listChannels(wishes: UrlOption & OutputOption): Promise<void> {
  const answer = await connect(wishes).listNotificationChannels({ query: { limit: 100 } })
  const columns = ['id', 'name', 'kind', 'enabled', 'url', 'teamId', 'events', 'minimumSeverity', 'digest', 'projectId']
  printList(answer.data, wishes, {
    whole: answer,
    columns: [...columns, 'interactivityUrl', 'failingSince', 'brokenSince', 'disabledReason'],
    none: 'There are no channels.',
    toRow: ({ events, ...rest }) => ({ ...rest, events: eventsInWords(events) }),
  })
}

const eventsInWords = (events: readonly NotificationType[]): string =>
  events.length === 0 ? 'everything' : events.join(',')

type New = {
  kind: string
  events: string[]
  severity?: string
  project?: string
  environments?: string[]
  quiet?: string[]
  digest?: string
  timeZone?: string
  format?: string
  signingSecret?: string
}

/** Creates a channel. The secret of a webhook is printed only this once. */
export async function addChannel(name: string, address: string, wishes: UrlOption & OutputOption & New): Promise<void> {
  const { project, environments, severity, quiet, digest, timeZone, format, signingSecret } = wishes
  if (address === '-' && signingSecret === '-')
    throw new UsageError('The standard input has the address or the signing secret: put the other into a file.')
  const kind = kindNamed(wishes.kind)
  // A secret address can come from standard input, because other users can read arguments.
  const reach = address === '-' ? (await text(process.stdin)).trim() : address
  const data = {
    name,
    kind,
    events: wishes.events.map(parseNotificationType),
    ...reachedBy(kind, reach),
    ...(severity !== undefined && { minimumSeverity: parseSeverity(severity) }),
    ...(project !== undefined && { projectId: project }),
    ...(environments !== undefined && { environmentIds: environments }),
    ...(quiet !== undefined && { quietHours: quiet.map(parseQuietPeriod) }),
    ...(digest !== undefined && { digest: parseDigest(digest) }),
    ...(timeZone !== undefined && { timeZone }),
    ...(format !== undefined && { format: formatNamed(format) }),
    ...(signingSecret !== undefined && { signingSecret: await secretIn(signingSecret) }),
  }
  const { data: made } = await connect(wishes).createNotificationChannel({ body: { data } })
  const out = printer(wishes)
  out.say(`${made.id} is notified of ${eventsInWords(made.events)}`)
  if (made.secret !== undefined) out.say(`Its secret, which is not shown again: ${made.secret}`)
  if (made.hasSigningSecret) out.say(pressesNote(made))
  out.record(made)
}

/** Enables or disables buttons in the messages of a Slack channel. */
export async function setButtons(
  id: string,
  file: string | undefined,
  { off = false, ...wishes }: UrlOption & OutputOption & { off?: boolean },
): Promise<void> {
  if (off === (file !== undefined)) throw new UsageError('It is either a file with the signing secret or --off.')
  const data = { signingSecret: file === undefined ? null : await secretIn(file) }
  const { data: changed } = await connect(wishes).updateNotificationChannel({ params: { id }, body: { data } })
  const out = printer(wishes)
  out.say(changed.hasSigningSecret ? pressesNote(changed) : `${id} no longer has buttons`)
  out.record(changed)
}

const pressesNote = ({ id, interactivityUrl }: NotificationChannel): string =>
  `${id} has buttons. The Request URL for the interactivity of the Slack app: ${interactivityUrl}`

/** Reads a secret from a file or standard input, because other users can read arguments. */
const secretIn = async (file: string): Promise<string> =>
  (file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')).trim()

function reachedBy(kind: ChannelKind, reach: string) {
  if (kind === 'PAGERDUTY') return { routingKey: reach }
  if (kind === 'TEAM_MEMBERS') return { teamId: reach }
  return kind === 'EMAIL' ? { recipients: reach.split(',') } : { url: reach }
}

function kindNamed(word: string): ChannelKind {
  const kind = channelKinds.find((one) => one === word.toUpperCase().replaceAll('-', '_'))
  if (kind) return kind
  throw new UsageError(
    `A channel is one of ${channelKinds.join(', ').toLowerCase().replaceAll('_', '-')}; not ${word}.`,
  )
}

export function parseNotificationType(word: string): NotificationType {
  const type = notificationTypes.find((one) => one === word)
  if (type) return type
  throw new UsageError(`A channel is notified of ${notificationTypes.join(', ')}; not of ${word}.`)
}

export function parseSeverity(word: string): Severity {
  const severity = severities.find((one) => one === word.toUpperCase())
  if (severity) return severity
  throw new UsageError(`A severity is one of ${severities.join(', ').toLowerCase()}; not ${word}.`)
}

function formatNamed(word: string): ChannelFormat {
  const format = channelFormats.find((one) => one === word.toUpperCase())
  if (format) return format
  throw new UsageError(`A format is one of ${channelFormats.join(', ').toLowerCase()}; not ${word}.`)
}

/** Parses quiet hours such as `19:00-08:00` or `sat,sun:00:00-00:00`. */
export function parseQuietPeriod(words: string): QuietPeriod {
  const [, named = '', from = '', until = ''] = /^(?:([a-z,]+):)?(\d\d:\d\d)-(\d\d:\d\d)$/i.exec(words) ?? []
  const days = named === '' ? [...weekdays] : weekdays.filter((day) => named.toUpperCase().split(',').includes(day))
  if (from !== '' && (named === '' || days.length === named.split(',').length)) return { from, until, days }
  throw new UsageError(`Quiet hours are such as 19:00-08:00 or sat,sun:00:00-00:00; not ${words}.`)
}

export function parseDigest(word: string): Digest {
  const digest = digests.find((one) => one === word.toUpperCase())
  if (digest) return digest
  throw new UsageError(`A digest is one of ${digests.join(', ').toLowerCase()}; not ${word}.`)
}

/** Timeout for a test delivery, and its poll interval, in milliseconds. */
const patienceMs = 30_000
const pollIntervalMs = 500

/** Sends a test message to a channel and prints the result. */
export async function testChannel(id: string, wishes: UrlOption & OutputOption): Promise<void> {
  const client = connect(wishes)
  const { data: begun } = await client.testNotificationChannel({ params: { id } })
  const deadline = performance.now() + patienceMs
  let delivery = begun
  while (delivery.attempts.length === 0 && performance.now() < deadline) {
    await sleep(pollIntervalMs)
    delivery = (await client.getNotificationDelivery({ params: { id: begun.id } })).data
  }
  printer(wishes).record(delivery)
  if (delivery.status !== 'DELIVERED') throw new Error(`${delivery.id} has not arrived: ${resultOf(delivery)}`)
  printer(wishes).say(`${delivery.id} has arrived: ${resultOf(delivery)}`)
}

/** Prints a channel's deliveries, newest first. */
export async function listDeliveries(id: string, wishes: UrlOption & OutputOption): Promise<void> {
  const answer = await connect(wishes).listNotificationDeliveries({ params: { id }, query: { limit: 100 } })
  printList(answer.data, wishes, {
    whole: answer,
    columns: ['id', 'createdAt', 'type', 'recordId', 'status', 'nextAttemptAt', 'result'],
    none: 'Nothing was delivered.',
    toRow: (one) => ({ ...one, type: one.payload.type, result: resultOf(one) }),
  })
}

const resultOf = ({ attempts }: NotificationDelivery): string => {
  const last = attempts.at(-1)
  return last ? (last.error ?? `answered ${last.status}`) : 'not tried yet'
}

export async function resendDelivery(id: string, wishes: UrlOption & OutputOption): Promise<void> {
  const { data } = await connect(wishes).resendNotificationDelivery({ params: { id } })
  const out = printer(wishes)
  out.say(`${id} is sent again as ${data.id}`)
  out.record(data)
}

/** Replays all events after a position to a webhook. */
export async function replayChannel(
  id: string,
  { after, ...wishes }: UrlOption & OutputOption & { after: string },
): Promise<void> {
  const client = connect(wishes)
  const out = printer(wishes)
  const told = { deliveries: 0, position: after, hasMore: true }
  while (told.hasMore) {
    const body = { data: { after: told.position } }
    const { data } = await client.replayNotificationChannel({ params: { id }, body })
    Object.assign(told, data, { deliveries: told.deliveries + data.deliveries })
  }
  out.say(`${told.deliveries} events are delivered to ${id} again, up to the position ${told.position}`)
  out.record(told)
}
