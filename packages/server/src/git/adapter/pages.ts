/** One page of a host's list. */
export interface Page<T> {
  items: T[]
  hasNext: boolean
  /** Where the host tells it. */
  lastPage?: number | undefined
}

/** The most that both hosts put on one page. */
export const pageSize = 100

/** Pages asked for at the same time: more would look like an attack to a host. */
const mostAtOnce = 8
/** A list of more than this many pages is none that we asked for. */
const mostPages = 1_000

/** All items of a list: side by side where the host says how many pages there are, else one after the other. */
export async function allPages<T>(fetchPage: (page: number) => Promise<Page<T>>): Promise<T[]> {
  const first = await fetchPage(1)
  const pages = [first]
  const lastPage = Math.min(first.lastPage ?? 1, mostPages)
  for (let from = 2; from <= lastPage; from += mostAtOnce) {
    const count = Math.min(mostAtOnce, lastPage - from + 1)
    pages.push(...(await Promise.all(Array.from({ length: count }, (_, offset) => fetchPage(from + offset)))))
  }
  while (pages.at(-1)?.hasNext && pages.length < mostPages) pages.push(await fetchPage(pages.length + 1))
  return pages.flatMap(({ items }) => items)
}

/** Names in one order, each once: a list may shift while its pages are asked for. */
export const sortedNames = (items: { name: string }[]): string[] =>
  [...new Set(items.map(({ name }) => name))].toSorted()
