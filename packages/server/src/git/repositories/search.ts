import type { Page, PageReply } from '../../platform/http/pagination.ts'
import type { Listed } from '../adapter/pages.ts'

interface SearchRequest<T> {
  page: Page
  search: string | undefined
  /** Returns the unique name of an item. */
  nameOf: (item: T) => string
  order: (a: string, b: string) => number
}

/** Returns the requested page of a host's list. A page starts after a name, even if that item no longer exists. */
export function pageOfListed<T>({ items, isComplete }: Listed<T>, { page, search, nameOf, order }: SearchRequest<T>) {
  const wanted = search?.toLowerCase() ?? ''
  const named = new Map(items.map((item) => [nameOf(item), item]))
  const matching = [...named]
    .filter(([name]) => name.toLowerCase().includes(wanted))
    .toSorted(([a], [b]) => order(a, b))
  const { before } = page
  const after = before === undefined ? matching : matching.filter(([name]) => order(name, before) > 0)
  const rows = after.slice(0, page.limit + 1).map(([id, item]) => ({ id, item }))
  const { data, meta }: PageReply<T> = page.reply({ rows, totalCount: matching.length }, ({ item }) => item)
  return { data, meta: { ...meta, isComplete } }
}

const { compare } = new Intl.Collator('en', { numeric: true })

/** Compares names in natural order, 10 after 9. */
export const byName = (a: string, b: string): number => compare(a, b) || Number(a > b) - Number(a < b)
/** Compares names in reverse natural order, which usually puts the newest version first. */
export const byNameDown = (a: string, b: string): number => byName(b, a)
