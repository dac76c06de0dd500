import { expect, test } from 'vitest'
import { type Reading, RecentReadings } from './readings.ts'

const now = new Date('2026-11-27T10:00:00Z')
const inMs = (ms: number) => new Date(now.getTime() + ms)

const reading = (id: string, row: Partial<Reading['row']> = {}): Reading => ({
  row: { id, status: 'IN_PROGRESS', wakeAt: inMs(1_000), wakeSeq: 1, ...row } as Reading['row'],
  account: undefined,
  isRuled: false,
  afterRollback: null,
  readAt: performance.now(),
})

test('what was written last is known, until the deployment is over', () => {
  const readings = new RecentReadings()
  expect(readings.find('dep_a')).toBeUndefined()
  readings.add(reading('dep_a'), now)
  readings.add(reading('dep_a', { wakeSeq: 2 }), now)
  expect(readings.find('dep_a')?.row.wakeSeq).toBe(2)
  readings.add(reading('dep_a', { status: 'SUCCESS', wakeAt: null }), now)
  expect(readings.find('dep_a')).toBeUndefined()
})

test('one that is looked at much later, such as in a pause, is not kept until then', () => {
  const readings = new RecentReadings()
  readings.add(reading('dep_a'), now)
  readings.add(reading('dep_a', { wakeAt: inMs(300_000) }), now)
  expect(readings.find('dep_a')).toBeUndefined()
})

test('one that another process writes as well is loaded each time', () => {
  const readings = new RecentReadings()
  readings.add(reading('dep_a'), now)
  readings.isWrittenElsewhere('dep_a')
  readings.add(reading('dep_a'), now)
  expect(readings.find('dep_a')).toBeUndefined()
})

test('of very many, those that were written last are known', () => {
  const readings = new RecentReadings()
  const ids = Array.from({ length: 600 }, (_, index) => `dep_${index}`)
  for (const id of ids) readings.add(reading(id), now)
  const known = ids.filter((id) => readings.find(id))
  expect(known).toEqual(ids.slice(100))
})
