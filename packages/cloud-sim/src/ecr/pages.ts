import { CloudError } from '../errors.ts'

interface PageWish {
  maxResults?: number | undefined
  nextToken?: string | undefined
}

const defaultPageSize = 100

/**
 * Returns a page of rows, or all of them if they were requested by name. The token is the last key of the previous
 * page.
 */
export function page<T>(
  rows: readonly T[],
  keyOf: (row: T) => string,
  named: readonly unknown[] | undefined,
  { maxResults, nextToken }: PageWish,
) {
  if (named && (maxResults !== undefined || nextToken !== undefined)) {
    throw invalid('maxResults and nextToken cannot be used where single ones are named')
  }
  if (named) return { items: rows, nextToken: undefined }
  const last = nextToken === undefined ? undefined : Buffer.from(nextToken, 'base64url').toString()
  const from = last === undefined ? 0 : rows.findIndex((row) => keyOf(row) === last) + 1
  if (last !== undefined && from === 0)
    throw invalid("Invalid parameter at 'nextToken' failed to satisfy constraint: 'Invalid token'")
  const to = from + (maxResults ?? defaultPageSize)
  const items = rows.slice(from, to)
  const [end] = items.slice(-1)
  const hasMore = to < rows.length && end !== undefined
  return { items, nextToken: hasMore ? Buffer.from(keyOf(end)).toString('base64url') : undefined }
}

const invalid = (message: string) => new CloudError('InvalidParameterException', message)
