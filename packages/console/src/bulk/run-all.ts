/** Result of one operation. A failure of one never hides the others. */
export type Result<Value> = { value: Value } | { error: unknown }

/**
 * Runs a task for each item, at most `concurrency` at a time and in order, and reports each start and result. Never
 * rejects.
 */
export async function runAll<Item, Value>(
  items: readonly Item[],
  run: (item: Item) => Promise<Value>,
  { concurrency, onStart, onResult }: Reports<Item, Value>,
): Promise<void> {
  const queue = [...items]
  const work = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      onStart(item)
      onResult(item, await resultOf(run, item))
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work))
}

type Reports<Item, Value> = {
  concurrency: number
  onStart: (item: Item) => void
  onResult: (item: Item, result: Result<Value>) => void
}

async function resultOf<Item, Value>(run: (item: Item) => Promise<Value>, item: Item): Promise<Result<Value>> {
  try {
    return { value: await run(item) }
  } catch (error) {
    return { error }
  }
}
