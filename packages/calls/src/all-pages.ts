import { maxPageSize } from '@sluice/contract'

type Page<T> = { data: T[]; meta: { nextCursor: string } }

/** Returns all records of a list, in order. */
export async function allPages<T>(list: (page: { limit: number; cursor?: string }) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = []
  let cursor: string | undefined
  do {
    const page: Page<T> = await list({ limit: maxPageSize, ...(cursor !== undefined && { cursor }) })
    found.push(...page.data)
    cursor = page.meta.nextCursor || undefined
  } while (cursor !== undefined)
  return found
}
