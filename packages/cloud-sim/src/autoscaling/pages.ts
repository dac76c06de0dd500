import { CloudError } from '../errors.ts'
import type { Row } from '../store.ts'

const maxPageSize = 100

/** Returns a page of rows. The token is the key after which the next page begins. */
export function page<T extends Row>(
  rows: T[],
  { NextToken, MaxRecords }: { NextToken?: string | undefined; MaxRecords?: number | undefined },
) {
  const size = MaxRecords === undefined ? 50 : Number(MaxRecords)
  if (!(size >= 1 && size <= maxPageSize)) {
    throw new CloudError('ValidationError', `MaxRecords must be between 1 and ${maxPageSize}`)
  }
  const from = NextToken ? rows.findIndex(({ key }) => key === NextToken) + 1 : 0
  if (NextToken && from === 0) throw new CloudError('InvalidNextToken', `The token '${NextToken}' is invalid.`)
  const items = rows.slice(from, from + size)
  return { items, NextToken: from + size < rows.length ? items.at(-1)?.key : undefined }
}
