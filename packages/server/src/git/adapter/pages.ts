/** Page of a host's list. */
export interface Page<T> {
  items: T[]
  hasNext: boolean
  /** Number of the last page, if the host returns it. */
  lastPage?: number | undefined
}

/** Maximum page size of both hosts. */
export const pageSize = 100

/** Returns the URL of a list's page. Both hosts use the same parameters. */
export const ofPage = (list: string, page: number): string =>
  `${list}${list.includes('?') ? '&' : '?'}per_page=${pageSize}&page=${page}`

/** Maximum number of concurrent page requests, so that the host does not treat them as abuse. */
const maxConcurrency = 8
/** Maximum number of pages of a list, as a safeguard. */
const maxPages = 1_000

/** Items of a list, which may be truncated. */
export interface Listed<T> {
  items: T[]
  isComplete: boolean
}

type FetchPage<T> = (page: number) => Promise<Page<T>>

/** Fetches all items of a list. */
export const allPages = async <T>(fetchPage: FetchPage<T>): Promise<T[]> =>
  (await firstPages(fetchPage, maxPages)).items

/** Fetches up to `maxPageCount` pages of a list, concurrently if the host returns the page count. */
export async function firstPages<T>(fetchPage: FetchPage<T>, maxPageCount: number): Promise<Listed<T>> {
  const first = await fetchPage(1)
  const pages = [first]
  const lastPage = Math.min(first.lastPage ?? 1, maxPageCount)
  for (let from = 2; from <= lastPage; from += maxConcurrency) {
    const count = Math.min(maxConcurrency, lastPage - from + 1)
    pages.push(...(await Promise.all(Array.from({ length: count }, (_, offset) => fetchPage(from + offset)))))
  }
  while (pages.at(-1)?.hasNext && pages.length < maxPageCount) pages.push(await fetchPage(pages.length + 1))
  return { items: pages.flatMap(({ items }) => items), isComplete: !pages.at(-1)?.hasNext }
}

/** Returns names sorted and without duplicates, which occur if a list changes between page requests. */
export const sortedNames = (items: { name: string }[]): string[] =>
  [...new Set(items.map(({ name }) => name))].toSorted()
