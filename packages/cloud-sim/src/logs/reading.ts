import type { FilterLogEventsRequest, GetLogEventsRequest } from '@aws-sdk/client-cloudwatch-logs'
import type { Caller } from '../callers.ts'
import { invalidParameter } from '../errors.ts'
import type { World } from '../world.ts'
import { compileFilter } from './filter-pattern.ts'
import { findGroup, resourceNotFound } from './groups.ts'
import { cloudWatchLogs } from './state.ts'
import { type LogLine, linesOf } from './streams.ts'

const maxEvents = 10_000
/** Maximum time range that one call searches. As in AWS, a page may be empty and have a successor. */
const searchedMs = 3_600_000
/** Maximum time by which lines may be dated in the future, in milliseconds. */
const aheadMs = 2 * 3_600_000

/** Position between two lines, with the reading direction. */
interface Place {
  at: number
  id: string
  isForward: boolean
}

const after = '~' // sorts after every id

export function filterLogEvents(world: World, caller: Caller, input: FilterLogEventsRequest) {
  const { logStreamNames, logStreamNamePrefix, limit = maxEvents } = input
  if (input.logGroupName && input.logGroupIdentifier) {
    throw invalidParameter('LogGroupName and LogGroupIdentifier cannot both be given.')
  }
  if (logStreamNames && logStreamNamePrefix) {
    throw invalidParameter('LogStreamNames and LogStreamNamePrefix cannot both be given.')
  }
  if (!(limit >= 1 && limit <= maxEvents)) throw invalidParameter(`The limit must be between 1 and ${maxEvents}.`)
  const group = findGroup(world, caller, input.logGroupName ?? input.logGroupIdentifier)
  const streams = cloudWatchLogs(world)
    .streams.having('group', group.key)
    .filter(({ name }) => logStreamNames?.includes(name) ?? name.startsWith(logStreamNamePrefix ?? ''))
  const isWanted = compileFilter(input.filterPattern)
  const start = Math.max(input.startTime ?? 0, Math.min(...streams.map(({ firstEventAt }) => firstEventAt)))
  const end = Math.min(input.endTime ?? Number.POSITIVE_INFINITY, world.clock.timestamp() + aheadMs)
  const place = input.nextToken ? placeOf(input.nextToken) : firstPlace(input.startFromHead !== false, start, end)

  const [from, until] = place.isForward
    ? [place.at, Math.min(place.at + searchedMs, end)]
    : [Math.max(place.at - searchedMs, start), place.at]
  const found = streams
    .flatMap((stream) => linesOf(world, stream, from, until))
    .filter((line) => isBeyond(line, place) && isWanted(line.message))
    .toSorted((a, b) => (place.isForward ? compare(a, b) : compare(b, a)))
  const events = found.slice(0, limit)
  const next = nextPlace(found.length > limit ? events.at(-1) : undefined, place, { from, until, start, end })
  return {
    events: events.map(({ id, at, ingestedAt, message, stream }) => ({
      eventId: id,
      timestamp: at,
      ingestionTime: ingestedAt,
      message,
      logStreamName: stream,
    })),
    searchedLogStreams: [],
    ...(next ? { nextToken: tokenOf(next) } : {}),
  }
}

const firstPlace = (isForward: boolean, start: number, end: number): Place =>
  isForward ? { at: start, id: '', isForward } : { at: end, id: after, isForward }

function nextPlace(
  last: LogLine | undefined,
  { isForward }: Place,
  { from, until, start, end }: { from: number; until: number; start: number; end: number },
): Place | undefined {
  if (last) return { at: last.at, id: last.id, isForward }
  if (isForward) return until < end ? { at: until, id: after, isForward } : undefined
  return from > start ? { at: from, id: '', isForward } : undefined
}

const compare = (a: Pick<LogLine, 'at' | 'id'>, b: Pick<LogLine, 'at' | 'id'>): number =>
  a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

const isBeyond = (line: LogLine, place: Place): boolean =>
  place.isForward ? compare(line, place) > 0 : compare(line, place) < 0

const tokenOf = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url')

function placeOf(token: string): Place {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString()) as Place
  } catch {
    throw invalidParameter('The specified nextToken is invalid.')
  }
}

export function getLogEvents(world: World, caller: Caller, input: GetLogEventsRequest) {
  const { limit = maxEvents, nextToken } = input
  const group = findGroup(world, caller, input.logGroupName ?? input.logGroupIdentifier)
  const stream = cloudWatchLogs(world).streams.get(`${group.key}:${input.logStreamName}`)
  if (!stream) throw resourceNotFound('log stream')
  const [start, end] = [input.startTime ?? 0, input.endTime ?? world.clock.timestamp() + aheadMs]
  const place = nextToken ? placeOf(nextToken) : firstPlace(input.startFromHead === true, start, end)
  const beyond = linesOf(world, stream, start, end)
    .filter((line) => isBeyond(line, place))
    .toSorted(compare)
  const events = place.isForward ? beyond.slice(0, limit) : beyond.slice(-limit)
  const [first, last] = [events[0] ?? place, events.at(-1) ?? place]
  return {
    events: events.map(({ at, ingestedAt, message }) => ({ timestamp: at, ingestionTime: ingestedAt, message })),
    nextForwardToken: tokenOf({ at: last.at, id: last.id, isForward: true }),
    nextBackwardToken: tokenOf({ at: first.at, id: first.id, isForward: false }),
  }
}
