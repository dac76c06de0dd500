import type { ListMeta, PageQuery, Route } from '@sluice/contract'
import type { Caller } from '../auth/caller.ts'
import { isSigned, type Secrets, sign } from '../crypto/keys.ts'
import type { PageBounds, PageRows } from '../db/page.ts'
import { ApiError } from './api-error.ts'

export interface Page extends PageBounds {
  reply<Row extends { id: string }, Wire>(found: PageRows<Row>, toWire: (row: Row) => Wire): PageReply<Wire>
}

export interface PageReply<Wire> {
  data: Wire[]
  meta: ListMeta
}

/** Opens the page that a list request asks for. Rejects a cursor of another list, organization or filter. */
export type OpenPage = (route: Route, caller: Pick<Caller, 'organizationId'>, query: PageQuery) => Page

/**
 * Creates cursors from the last id of a page and an HMAC of that id and its list. Clients cannot forge a cursor or use
 * it for another list. All processes of an installation need the same secrets.
 */
export function createOpenPage(secrets: Secrets): OpenPage {
  return (route, { organizationId }, { limit, cursor, ...filters }) => {
    const list = [route.operationId, organizationId, Object.entries(filters).sort()]
    return {
      limit,
      before: cursor === undefined ? undefined : readCursor(secrets, list, cursor),
      reply: ({ rows, totalCount }, toWire) => {
        const shown = rows.slice(0, limit)
        const last = rows.length > limit ? shown.at(-1) : undefined
        const nextCursor = last ? writeCursor(secrets, list, last.id) : ''
        return { data: shown.map(toWire), meta: { limit, nextCursor, totalCount } }
      },
    }
  }
}

const macBytes = 32

const writeCursor = (secrets: Secrets, list: unknown[], id: string): string =>
  Buffer.concat([sign(secrets, JSON.stringify([...list, id])), Buffer.from(id)]).toString('base64url')

function readCursor(secrets: Secrets, list: unknown[], cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url')
  const id = bytes.subarray(macBytes).toString()
  // Decoding ignores characters outside base64url. Encoding the bytes again detects added characters.
  const isComplete = bytes.length > macBytes && bytes.toString('base64url') === cursor
  if (isComplete && isSigned(secrets, JSON.stringify([...list, id]), bytes.subarray(0, macBytes))) return id
  throw new ApiError('cursorInvalid', 'Use the value of `nextCursor` as `cursor`, with the same filters, or omit it.')
}
