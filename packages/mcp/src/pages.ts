type Page<Row> = { data: Row[]; meta: { nextCursor: string; totalCount: number } }

/** Returns the first `maxRows` rows of a list, over as many pages as needed, and the total. */
export async function firstOf<Row>(
  maxRows: number,
  page: (query: { limit: number; cursor?: string }) => Promise<Page<Row>>,
): Promise<{ rows: Row[]; total: number }> {
  const rows: Row[] = []
  for (let cursor: string | undefined; ; ) {
    const limit = Math.min(100, maxRows - rows.length)
    const { data, meta } = await page({ limit, ...(cursor && { cursor }) })
    rows.push(...data)
    if (meta.nextCursor === '' || rows.length >= maxRows) return { rows, total: meta.totalCount }
    cursor = meta.nextCursor
  }
}

/** Returns a note about omitted rows. */
export const describeRest = (shownCount: number, total: number, how: string): string =>
  total > shownCount ? ` ${total - shownCount} more are there: ${how}` : ''
