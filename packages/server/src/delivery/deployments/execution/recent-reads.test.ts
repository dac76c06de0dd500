import { expect, test } from 'vitest'
import { type RecentRead, RecentReads } from './recent-reads.ts'

const now = new Date('2026-11-27T10:00:00Z')
const inMs = (ms: number) => new Date(now.getTime() + ms)

const reading = (row: Partial<RecentRead['row']> = {}, loadedMsAgo = 0): RecentRead => ({
  row: { id: 'dep_a', status: 'IN_PROGRESS', wakeAt: inMs(1_000), revision: 1, ...row } as RecentRead['row'],
  account: undefined,
  readAt: performance.now(),
  loadedAt: performance.now() - loadedMsAgo,
})

test('the last write is cached until the deployment ends', () => {
  const readings = new RecentReads()
  expect(readings.find('dep_a')).toBeUndefined()
  readings.add(reading(), now)
  readings.add(reading({ revision: 2 }), now)
  readings.add(reading({ revision: 1 }), now)
  expect(readings.find('dep_a')?.row.revision).toBe(2)
  readings.add(reading({ revision: 3, status: 'SUCCESS', wakeAt: null }), now)
  expect(readings.find('dep_a')).toBeUndefined()
})

test('the access to the cloud account is loaded again after a minute, regardless of the number of writes', () => {
  const readings = new RecentReads()
  readings.add(reading({}, 30_000), now)
  expect(readings.find('dep_a')).toBeDefined()
  readings.add(reading({ revision: 2 }, 60_000), now)
  expect(readings.find('dep_a')).toBeUndefined()
})

test('a deployment whose next poll is far away, such as during a pause, is not cached until then', () => {
  const readings = new RecentReads()
  readings.add(reading(), now)
  readings.add(reading({ revision: 2, wakeAt: inMs(300_000) }), now)
  expect(readings.find('dep_a')).toBeUndefined()
})

test('a deployment that another process writes as well is loaded each time', () => {
  const readings = new RecentReads()
  const mine = reading()
  readings.add(mine, now)
  readings.isOutdated(mine)
  readings.add(reading({ revision: 3 }), now)
  readings.forget('dep_a')
  readings.add(reading({ revision: 4 }), now)
  expect(readings.find('dep_a')).toBeUndefined()
})

test("a deployment that this process has just written or is writing is not mistaken for another process's write", () => {
  const readings = new RecentReads()
  const first = reading()
  readings.add(first, now)
  readings.add(reading({ revision: 2 }), now)
  readings.isOutdated(first)
  expect(readings.find('dep_a')?.row.revision).toBe(2)
  const second = reading({ revision: 3 })
  readings.add(second, now)
  readings.forget('dep_a')
  readings.isOutdated(second)
  readings.add(reading({ revision: 5 }), now)
  expect(readings.find('dep_a')?.row.revision).toBe(5)
})

test('the most recently written deployments stay in a full cache', () => {
  const readings = new RecentReads()
  const ids = Array.from({ length: 600 }, (_, index) => `dep_${index}`)
  for (const id of ids) readings.add(reading({ id }), now)
  const known = ids.filter((id) => readings.find(id))
  expect(known).toEqual(ids.slice(100))
})
