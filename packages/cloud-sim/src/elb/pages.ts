import { CloudError } from '../errors.ts'
import type { Row } from '../store.ts'

const maxPageSize = 400

/** Returns a page of rows. The marker is the key after which the next page begins. */
export function page<T extends Row>(
  rows: T[],
  { Marker, PageSize }: { Marker?: string | undefined; PageSize?: number | undefined },
) {
  const size = PageSize === undefined ? maxPageSize : Number(PageSize)
  if (!(size >= 1 && size <= maxPageSize)) {
    throw new CloudError('ValidationError', `Page size '${PageSize}' must be between 1 and ${maxPageSize}`)
  }
  const from = Marker ? rows.findIndex(({ key }) => key === Marker) + 1 : 0
  if (Marker && from === 0) throw new CloudError('ValidationError', `Marker '${Marker}' is not valid`)
  const items = rows.slice(from, from + size)
  const hasMore = from + size < rows.length
  return { items, NextMarker: hasMore ? items.at(-1)?.key : undefined }
}
