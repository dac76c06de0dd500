import type {
  CreateLogStreamRequest,
  DeleteLogStreamRequest,
  DescribeLogStreamsRequest,
  PutLogEventsRequest,
} from '@aws-sdk/client-cloudwatch-logs'
import type { Caller } from '../callers.ts'
import { page } from '../ecs/pages.ts'
import { invalidParameter } from '../errors.ts'
import type { World } from '../world.ts'
import { alreadyExists, findGroup, resourceNotFound } from './groups.ts'
import { cloudWatchLogs, type LogBatch, type LogStream } from './state.ts'
import { taskLines } from './task-lines.ts'

/** Log line. Ids order lines of the same time. */
export interface LogLine {
  id: string
  at: number
  ingestedAt: number
  message: string
  stream: string
}

const lineId = (at: number, stream: string, number: number): string =>
  `${String(at).padStart(20, '0')}${numberOf(stream)}${String(number).padStart(12, '0')}`

/** Derives ten digits from a name. */
function numberOf(name: string): string {
  let number = 7
  for (const character of name) number = (number * 31 + character.charCodeAt(0)) % 1e10
  return String(number).padStart(10, '0')
}

export function createLogStream(world: World, caller: Caller, input: CreateLogStreamRequest) {
  const { logStreamName: name = '' } = input
  if (!/^[^:*]{1,512}$/.test(name)) throw invalidParameter(`The log stream name '${name}' is not valid.`)
  const group = findGroup(world, caller, input.logGroupName)
  if (cloudWatchLogs(world).streams.get(`${group.key}:${name}`)) throw alreadyExists('log stream')
  openStream(world, group.key, name)
  return {}
}

export function deleteLogStream(world: World, caller: Caller, input: DeleteLogStreamRequest) {
  const { streams, batches } = cloudWatchLogs(world)
  const stream = streams.get(`${findGroup(world, caller, input.logGroupName).key}:${input.logStreamName}`)
  if (!stream) throw resourceNotFound('log stream')
  for (const batch of batches.having('stream', stream.key)) batches.remove(batch)
  streams.remove(stream)
  return {}
}

/** Returns the log stream with this name, creating it if needed. */
export function openStream(world: World, group: string, name: string): LogStream {
  const key = `${group}:${name}`
  const now = world.clock.timestamp()
  return (
    cloudWatchLogs(world).streams.get(key) ??
    cloudWatchLogs(world).streams.save({ key, group, name, createdAt: now, firstEventAt: now, count: 0 })
  )
}

export function describeLogStreams(world: World, caller: Caller, input: DescribeLogStreamsRequest) {
  const { logStreamNamePrefix = '', orderBy, descending, nextToken, limit } = input
  const group = findGroup(world, caller, input.logGroupName ?? input.logGroupIdentifier)
  const found = cloudWatchLogs(world)
    .streams.having('group', group.key)
    .filter(({ name }) => name.startsWith(logStreamNamePrefix))
    .toSorted((a, b) => (orderBy === 'LastEventTime' ? lastOf(a) - lastOf(b) : a.name < b.name ? -1 : 1))
  const { items, more } = page(descending ? found.toReversed() : found, { nextToken, maxResults: limit }, 50, 50)
  const shown = items.map(({ key, name, createdAt, lastEventAt }) => ({
    logStreamName: name,
    arn: key.replace(/:([^:]*)$/, ':log-stream:$1'),
    creationTime: createdAt,
    storedBytes: 0,
    ...(lastEventAt === undefined ? {} : { lastEventTimestamp: lastEventAt }),
  }))
  return { logStreams: shown, ...more }
}

const lastOf = ({ lastEventAt, createdAt }: LogStream): number => lastEventAt ?? createdAt

export function putLogEvents(world: World, caller: Caller, input: PutLogEventsRequest) {
  const group = findGroup(world, caller, input.logGroupName)
  const stream = cloudWatchLogs(world).streams.get(`${group.key}:${input.logStreamName}`)
  if (!stream) throw resourceNotFound('log stream')
  const events = (input.logEvents ?? []).map(({ timestamp = 0, message = '' }, index) => ({
    at: timestamp,
    message,
    id: lineId(timestamp, stream.name, stream.count + index),
  }))
  if (events.some(({ at }, index) => at < (events[index - 1]?.at ?? 0))) {
    throw invalidParameter('Log events in a single PutLogEvents request must be in chronological order.')
  }
  save(world, stream, events)
  return { nextSequenceToken: String(stream.count) }
}

/** Adds lines with the current time. */
export function append(world: World, stream: LogStream, lines: string[]): void {
  const at = world.clock.timestamp()
  save(
    world,
    stream,
    lines.map((message, index) => ({ at, message, id: lineId(at, stream.name, stream.count + index) })),
  )
}

function save(world: World, stream: LogStream, events: LogBatch['events']): void {
  const ingestedAt = world.clock.timestamp()
  cloudWatchLogs(world).batches.save({ key: `${stream.key} ${stream.count}`, stream: stream.key, ingestedAt, events })
  const firstEventAt = Math.min(stream.firstEventAt, events[0]?.at ?? ingestedAt)
  const lastEventAt = Math.max(stream.lastEventAt ?? 0, events.at(-1)?.at ?? 0)
  const count = stream.count + events.length
  cloudWatchLogs(world).streams.save(Object.assign(stream, { count, firstEventAt, lastEventAt }))
}

/** Returns a stream's lines from `start` to `end`, inclusive and unsorted. */
export function linesOf(world: World, stream: LogStream, start: number, end: number): LogLine[] {
  const put = cloudWatchLogs(world)
    .batches.having('stream', stream.key)
    .flatMap(({ events, ingestedAt }) => events.map((event) => ({ ...event, ingestedAt, stream: stream.name })))
    .filter(({ at }) => at >= start && at <= end)
  if (!stream.voice) return put
  const spoken = taskLines(stream.voice, start, Math.min(end, world.clock.timestamp()))
  return [
    ...put,
    ...spoken.map(({ at, message, number }) => ({
      id: lineId(at, stream.name, number),
      at,
      ingestedAt: at,
      message,
      stream: stream.name,
    })),
  ]
}
