import type pg from 'pg'

/**
 * Makes a connection send one query at a time, in order. A transaction may issue several at once, as with
 * `Promise.all`; the driver's own queue for them is deprecated in pg 8 and removed in pg 9.
 */
export function queueQueries(client: pg.PoolClient): void {
  const { query } = client
  const waiting: (() => void)[] = []
  let isBusy = false
  const turn = async () => {
    if (isBusy) await new Promise<void>((resolve) => waiting.push(resolve))
    isBusy = true
  }
  const giveTurn = () => {
    const next = waiting.shift()
    if (next) next()
    else isBusy = false
  }
  const queued = async (...asked: unknown[]): Promise<unknown> => {
    await turn()
    try {
      return await Reflect.apply(query, client, asked)
    } finally {
      giveTurn()
    }
  }
  const instead = (...asked: unknown[]): unknown =>
    // The pool passes a callback, each time on a connection that no one else uses.
    typeof asked.at(-1) === 'function' ? Reflect.apply(query, client, asked) : queued(...asked)
  client.query = instead as typeof query
}
