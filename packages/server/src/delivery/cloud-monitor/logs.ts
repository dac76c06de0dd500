import { hash } from 'node:crypto'
import type { ModuleInstanceLogLine, ModuleInstanceLogPage } from '@sluice/contract'
import type { CloudClients } from '../../cloud/adapter/access.ts'
import { type LogSource, searchLog } from '../../cloud/adapter/logs.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Range } from './range.ts'
import type { LogView } from './sources.ts'

/** Returns the log source of a view, with the caller's filter if given. */
export const logSourceOf = ({ source }: LogView, filter: string | undefined): LogSource => ({
  logGroup: source.log_group,
  logStreamPrefix: source.log_stream_prefix,
  filter: filter ?? source.filter_pattern,
})

/** Maximum number of requests to the cloud for one page. A search with few matches continues on the next page. */
const maxCalls = 10

/**
 * Position at the end of a page. Contains the range of the first page, so that new lines do not shift the later pages.
 */
type Place = { of: string; from: number; until: number; token: string }

export type LogQuery = { instanceId: string; view: LogView; filter?: string | undefined; limit: number }

/** Reads a page of a log, newest lines first. */
export async function readLogPage(
  { logs }: CloudClients,
  { instanceId, view, filter, limit }: LogQuery,
  where: Range | string,
): Promise<ModuleInstanceLogPage> {
  const of = hash('sha256', JSON.stringify([instanceId, view, filter]), 'base64url').slice(0, 16)
  const place = typeof where === 'string' ? readCursor(where, of) : undefined
  const { from, until } = place ?? boundsOf(where as Range)
  const source = logSourceOf(view, filter)
  const data: ModuleInstanceLogLine[] = []
  let token = place?.token
  for (let call = 0; call < maxCalls; call += 1) {
    const search = { from, until, order: 'newest-first', limit: limit - data.length, nextToken: token } as const
    const found = await searchLog(logs, source, search)
    data.push(...found.lines)
    token = found.nextToken
    if (token === undefined || data.length >= limit) break
  }
  return { data, meta: { limit, nextCursor: token === undefined ? '' : writeCursor({ of, from, until, token }) } }
}

/** Converts a range to the cloud's bounds, which are both inclusive. */
const boundsOf = ({ start, end }: Range) => ({ from: start.getTime(), until: end.getTime() - 1 })

const writeCursor = (place: Place): string => Buffer.from(JSON.stringify(Object.values(place))).toString('base64url')

function readCursor(cursor: string, of: string): Place {
  const [itsOwn, from, until, token] = parsed(cursor)
  if (itsOwn === of && typeof from === 'number' && typeof until === 'number' && typeof token === 'string') {
    return { of, from, until, token }
  }
  throw new ApiError('cursorInvalid', 'Use the value of `nextCursor` as `cursor`, with the same filters, or omit it.')
}

function parsed(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
