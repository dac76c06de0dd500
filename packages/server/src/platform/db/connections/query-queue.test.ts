import type pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../../testing/database.ts'
import { sql } from '../drizzle.ts'
import { type Db, openDatabase } from '../open.ts'
import { queueQueries } from './query-queue.ts'

async function open(): Promise<Db> {
  const { location, drop } = await createTestDatabase()
  onTestFinished(drop)
  const { db, close } = await openDatabase(location)
  onTestFinished(close)
  return db
}

/** A connection that notes what it is asked while it has not answered yet. */
function startConnection() {
  const log: string[] = []
  const query = async (text: string) => {
    log.push(`asked ${text}`)
    await Promise.resolve()
    log.push(`answers ${text}`)
    if (text === 'wrong') throw new Error('refused')
    return text
  }
  const client = { query } as unknown as pg.PoolClient
  queueQueries(client)
  return { log, client }
}

test('a connection is asked one query at a time, in order, also after one that fails', async () => {
  const { log, client } = startConnection()
  const texts = ['first', 'wrong', 'last']
  const answers = await Promise.allSettled(texts.map((text) => client.query(text)))
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(log).toEqual(texts.flatMap((text) => [`asked ${text}`, `answers ${text}`]))
  expect(await client.query('afterwards')).toBe('afterwards')
})

test('several queries of a transaction may be asked at once', async () => {
  const db = await open()
  const numbers = [1, 2, 3, 4]
  const answers = await db.transaction((tx) =>
    Promise.all(numbers.map((number) => tx.execute(sql`select ${number}::int as number`))),
  )
  const rows = answers.flatMap((answer) => (answer as unknown as { rows: unknown[] }).rows)
  expect(rows).toEqual(numbers.map((number) => ({ number })))
})
