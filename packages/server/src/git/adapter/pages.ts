/** One page of a host's list. */
export interface Page<T> {
  items: T[]
  hasNext: boolean
  /** Where the host tells it. */
  lastPage?: number | undefined
}

/** The most that both hosts put on one page. */
export const pageSize = 100

/** The address of a page of a list; both hosts take it alike. */
export const ofPage = (list: string, page: number): string =>
  `${list}${list.includes('?') ? '&' : '?'}per_page=${pageSize}&page=${page}`

/** Pages asked for at the same time: more would look like an attack to a host. */
const mostAtOnce = 8
/** A list of more than this many pages is none that we asked for. */
const mostPages = 1_000

/** A list as far as it was read. */
export interface Listed<T> {
  items: T[]
  isComplete: boolean
}

type FetchPage<T> = (page: number) => Promise<Page<T>>

/** All items of a list. */
export const allPages = async <T>(fetchPage: FetchPage<T>): Promise<T[]> =>
  (await firstPages(fetchPage, mostPages)).items

/**
 * The first pages of a list, `most` at most: side by side where the host says how many there are, else one after the
 * other.
 */
export async function firstPages<T>(fetchPage: FetchPage<T>, most: number): Promise<Listed<T>> {
  const first = await fetchPage(1)
  const pages = [first]
  const lastPage = Math.min(first.lastPage ?? 1, most)
  for (let from = 2; from <= lastPage; from += mostAtOnce) {
    const count = Math.min(mostAtOnce, lastPage - from + 1)
    pages.push(...(await Promise.all(Array.from({ length: count }, (_, offset) => fetchPage(from + offset)))))
  }
  while (pages.at(-1)?.hasNext && pages.length < most) pages.push(await fetchPage(pages.length + 1))
  return { items: pages.flatMap(({ items }) => items), isComplete: !pages.at(-1)?.hasNext }
}

/** Names in one order, each once: a list may shift while its pages are asked for. */
export const sortedNames = (items: { name: string }[]): string[] =>
  [...new Set(items.map(({ name }) => name))].toSorted()
