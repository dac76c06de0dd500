import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Batches concurrent calls: collects items for `gatherMs` milliseconds and while other batches are being written. Each
 * caller gets the result of its own item after the write. A failed batch is retried item by item, so that one invalid
 * item does not affect others.
 */
export function batchCalls<Item, Result>(
  write: (items: Item[]) => Promise<Result[]>,
  { mostAtOnce, sideBySide = 1, gatherMs = 0 }: { mostAtOnce: number; sideBySide?: number; gatherMs?: number },
): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }
  let waiting: Waiting[] = []
  let writing = 0
  let isGathering = false

  const gather = async () => {
    isGathering = true
    await sleep(gatherMs)
    isGathering = false
  }
  const writeAll = async () => {
    if (gatherMs > 0) await gather()
    writing += 1
    while (waiting.length > 0) {
      const batch = waiting.slice(0, mostAtOnce)
      waiting = waiting.slice(mostAtOnce)
      await writeBatch(batch)
    }
    writing -= 1
  }
  const writeBatch = async (batch: Waiting[]): Promise<void> => {
    try {
      const results = await write(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error)
      else for (const one of batch) await writeBatch([one])
    }
  }
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!isGathering && writing < sideBySide) void writeAll()
    })
}
