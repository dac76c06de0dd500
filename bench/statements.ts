import pg from 'pg'

/** Counts the statements that this process sends to PostgreSQL from now on. */
export function countStatements(): { readonly count: number } {
  let count = 0
  const { query } = pg.Client.prototype
  Object.defineProperty(pg.Client.prototype, 'query', {
    value(...args: unknown[]) {
      count += 1
      return Reflect.apply(query, this, args)
    },
  })
  return {
    get count() {
      return count
    },
  }
}
