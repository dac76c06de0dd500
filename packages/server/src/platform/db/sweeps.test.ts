import { pino } from 'pino'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { untilPasses } from '../../../../../testing/until-passes.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { createClock, systemClock } from '../clock.ts'
import { sql } from './drizzle.ts'
import { now, type Sweep, startSweeps } from './sweeps.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

test('what is due is done, again and again, and what is not is left alone', async () => {
  const done: string[] = []
  const clock = createClock(() => new Date('2026-03-01T12:00:00Z'))
  const sweepOf = (what: string, at: string): Sweep => ({
    what,
    due: sql`select 1 where ${sql.raw(`timestamptz '${at}'`)} <= ${now}`,
    sweep: async () => done.push(what),
  })
  sweepAll([sweepOf('past', '2026-03-01T11:59:59Z'), sweepOf('future', '2026-03-01T12:00:01Z')], clock)

  await untilPasses(() => expect(done.length).toBeGreaterThan(2))
  expect(new Set(done)).toEqual(new Set(['past']))
})

test('one that fails keeps none of the others from being done, and is tried again', async () => {
  const tried: string[] = []
  const due = sql`select 1`
  const failing = async () => {
    tried.push('failing')
    throw new Error('it went wrong')
  }
  sweepAll([
    { what: 'failing', due, sweep: failing },
    { what: 'sound', due, sweep: async () => tried.push('sound') },
  ])

  await untilPasses(() => expect(tried.filter((what) => what === 'failing').length).toBeGreaterThan(1))
  expect(tried.filter((what) => what === 'sound').length).toBeGreaterThan(1)
})

function sweepAll(sweeps: Sweep[], clock = systemClock): void {
  const rounds = startSweeps({ db: database.db, clock, log: pino({ level: 'silent' }), sweeps }, 1)
  onTestFinished(() => rounds.stop())
}
