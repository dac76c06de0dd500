import { expect, test } from 'vitest'
import { changes } from '../interface/changes/tables.ts'
import { openTestDatabase } from './database.ts'
import { eventually } from './eventually.ts'

const patienceMs = 1_000

/** Reports whether the wait was so long that only progress can have extended it. */
const isLong = (startedAt: number) => performance.now() - startedAt > 2 * patienceMs

test('a wait for a value that keeps changing exceeds the time without progress', async () => {
  const startedAt = performance.now()
  let readCount = 0
  const look = async () => ({ readCount: ++readCount, isLong: isLong(startedAt) })
  await eventually('the end of a slow operation', look, (seen) => seen.isLong, patienceMs)
})

test('a wait without progress reports its subject, its duration and the last value', async () => {
  const startedAt = performance.now()
  const look = async () => ({ status: isLong(startedAt) ? 'PAUSED' : performance.now() })
  const wait = eventually('dep_1 to be SUCCESS', look, () => false, patienceMs)
  const idleThenTotal = /^No progress for \d+\.\d s while waiting for dep_1 to be SUCCESS, for \d+\.\d s in total\./
  await expect(wait).rejects.toThrow(idleThenTotal)
  await expect(wait).rejects.toThrow('Last value seen:\n{\n  "status": "PAUSED"\n}')
})

test('changed records in a test database count as progress, even if the value stays the same', async () => {
  const { db, close } = await openTestDatabase()
  const startedAt = performance.now()
  let transactionId = 1n
  const look = async () => {
    const record = { organizationId: 'org_1', resource: 'deployments', recordId: 'dep_1', belongsTo: {} }
    await db.insert(changes).values({ ...record, transactionId: transactionId++ })
    return 'IN_PROGRESS'
  }
  await eventually('the end of a slow operation', look, () => isLong(startedAt), patienceMs)
  await close()
})
