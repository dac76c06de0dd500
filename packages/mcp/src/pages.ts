type Page<Row> = { data: Row[]; meta: { nextCursor: string; totalCount: number } }

/** Returns the first `most` rows of a list, over as many pages as needed, and the total. */
export async function firstOf<Row>(
  most: number,
  page: (query: { limit: number; cursor?: string }) => Promise<Page<Row>>,
): Promise<{ rows: Row[]; total: number }> {
  const rows: Row[] = []
  for (let cursor: string | undefined; ; ) {
    const limit = Math.min(100, most - rows.length)
    const { data, meta } = await page({ limit, ...(cursor && { cursor }) })
    rows.push(...data)
    if (meta.nextCursor === '' || rows.length >= most) return { rows, total: meta.totalCount }
    cursor = meta.nextCursor
  }
}

/** Returns a note about omitted rows. */
export const describeRest = (told: number, total: number, how: string): string =>
  total > told ? ` ${total - told} more are there: ${how}` : ''
