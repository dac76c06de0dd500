import type { Service } from '@sluice/contract'

/** Requests cover blocks of rows: small scrolls need no request, and viewers share cached answers. */
const rowsInBlock = 10

/** Maximum number of instances per request. */
const maxInstancesPerRequest = 60

/** Returns the requests for the tasks of visible instances, block by block. */
export function healthRequests(services: readonly Service[], shown: readonly number[]): string[][] {
  const blocks = [...new Set(shown.map((row) => Math.floor(row / rowsInBlock)))]
  return blocks.flatMap((block) => {
    const rows = services.slice(block * rowsInBlock, (block + 1) * rowsInBlock)
    const ids = rows.flatMap(({ places }) => places.map(({ moduleInstanceId }) => moduleInstanceId))
    const starts = Array.from(
      { length: Math.ceil(ids.length / maxInstancesPerRequest) },
      (_, at) => at * maxInstancesPerRequest,
    )
    return starts.map((from) => ids.slice(from, from + maxInstancesPerRequest))
  })
}
