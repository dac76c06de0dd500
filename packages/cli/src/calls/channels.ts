import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { CalledWrongly } from '@sluice/calls/called-wrongly'
import {
  type ChannelKind,
  channelKinds,
  type NotificationDelivery,
  type NotificationType,
  notificationTypes,
  type Severity,
  severities,
} from '@sluice/contract'
import { connect, type Where } from './connect.ts'
import type { Style } from './output.ts'
import { printer, printList } from './print.ts'

/** Shows who is told of what. */
export async function listChannels(wishes: Where & Style): Promise<void> {
  const answer = await connect(wishes).listNotificationChannels({ query: { limit: 100 } })
  const columns = ['id', 'name', 'kind', 'enabled', 'url', 'events', 'minimumSeverity', 'projectId']
  printList(answer.data, wishes, {
    whole: answer,
    columns: [...columns, 'failingSince', 'brokenSince', 'disabledReason'],
    none: 'There are no channels.',
    toRow: ({ events, ...rest }) => ({ ...rest, events: eventsInWords(events) }),
  })
}

const eventsInWords = (events: readonly NotificationType[]): string =>
  events.length === 0 ? 'everything' : events.join(',')

type New = { kind: string; events: string[]; severity?: string; project?: string; environments?: string[] }

/** Makes a channel; the secret of a webhook is shown this once. */
export async function addChannel(name: string, address: string, wishes: Where & Style & New): Promise<void> {
  const { project, environments, severity } = wishes
  const kind = kindNamed(wishes.kind)
  // An address that is a secret need not stand among the arguments, where others of the machine see it.
  const reach = address === '-' ? (await text(process.stdin)).trim() : address
  const data = {
    ...{ name, kind, events: wishes.events.map(typeNamed) },
    ...reachedBy(kind, reach),
    ...(severity !== undefined && { minimumSeverity: severityNamed(severity) }),
    ...(project !== undefined && { projectId: project }),
    ...(environments !== undefined && { environmentIds: environments }),
  }
  const { data: made } = await connect(wishes).createNotificationChannel({ body: { data } })
  const out = printer(wishes)
  out.say(`${made.id} is told of ${eventsInWords(made.events)}`)
  if (made.secret !== undefined) out.say(`Its secret, which is not shown again: ${made.secret}`)
  out.record(made)
}

function reachedBy(kind: ChannelKind, reach: string) {
  if (kind === 'PAGERDUTY') return { routingKey: reach }
  return kind === 'EMAIL' ? { recipients: reach.split(',') } : { url: reach }
}

function kindNamed(word: string): ChannelKind {
  const kind = channelKinds.find((one) => one === word.toUpperCase())
  if (kind) return kind
  throw new CalledWrongly(`A channel is one of ${channelKinds.join(', ').toLowerCase()}; not ${word}.`)
}

function typeNamed(word: string): NotificationType {
  const type = notificationTypes.find((one) => one === word)
  if (type) return type
  throw new CalledWrongly(`A channel is told of ${notificationTypes.join(', ')}; not of ${word}.`)
}

function severityNamed(word: string): Severity {
  const severity = severities.find((one) => one === word.toUpperCase())
  if (severity) return severity
  throw new CalledWrongly(`A severity is one of ${severities.join(', ').toLowerCase()}; not ${word}.`)
}

/** How long an attempt may take: to begin, and to be answered. Milliseconds. */
const patienceMs = 30_000
const lookEveryMs = 500

/** Sends something to a channel, and tells what came of it. */
export async function testChannel(id: string, wishes: Where & Style): Promise<void> {
  const client = connect(wishes)
  const { data: begun } = await client.testNotificationChannel({ params: { id } })
  const deadline = performance.now() + patienceMs
  let delivery = begun
  while (delivery.attempts.length === 0 && performance.now() < deadline) {
    await sleep(lookEveryMs)
    delivery = (await client.getNotificationDelivery({ params: { id: begun.id } })).data
  }
  printer(wishes).record(delivery)
  if (delivery.status !== 'DELIVERED') throw new Error(`${delivery.id} has not arrived: ${resultOf(delivery)}`)
  printer(wishes).say(`${delivery.id} has arrived: ${resultOf(delivery)}`)
}

/** Shows what a channel was told, newest first. */
export async function listDeliveries(id: string, wishes: Where & Style): Promise<void> {
  const answer = await connect(wishes).listNotificationDeliveries({ params: { id }, query: { limit: 100 } })
  printList(answer.data, wishes, {
    whole: answer,
    columns: ['id', 'createdAt', 'type', 'recordId', 'status', 'nextAttemptAt', 'result'],
    none: 'It was told nothing.',
    toRow: (one) => ({ ...one, type: one.payload.type, result: resultOf(one) }),
  })
}

const resultOf = ({ attempts }: NotificationDelivery): string => {
  const last = attempts.at(-1)
  return last ? (last.error ?? `answered ${last.status}`) : 'not tried yet'
}

/** Tells a channel the same again. */
export async function resendDelivery(id: string, wishes: Where & Style): Promise<void> {
  const { data } = await connect(wishes).resendNotificationDelivery({ params: { id } })
  const out = printer(wishes)
  out.say(`${id} is sent again as ${data.id}`)
  out.record(data)
}
