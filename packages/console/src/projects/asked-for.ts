import type { Service } from '@sluice/contract'

/** Rows are asked for in blocks: scrolling by one asks for nothing, and people who look at a project ask alike. */
const rowsInBlock = 10

/** So many the service takes at once. */
const mostAtOnce = 60

/** The instances whose tasks are asked for, question by question: those of the blocks in sight that were released. */
export function askedFor(services: readonly Service[], shown: readonly number[]): string[][] {
  const blocks = [...new Set(shown.map((row) => Math.floor(row / rowsInBlock)))]
  return blocks.flatMap((block) => {
    const rows = services.slice(block * rowsInBlock, (block + 1) * rowsInBlock)
    const ids = rows.flatMap(({ places }) => places.flatMap((place) => (place.running ? [place.moduleInstanceId] : [])))
    const starts = Array.from({ length: Math.ceil(ids.length / mostAtOnce) }, (_, at) => at * mostAtOnce)
    return starts.map((from) => ids.slice(from, from + mostAtOnce))
  })
}
