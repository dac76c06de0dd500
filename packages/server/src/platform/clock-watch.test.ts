import { pino } from 'pino'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { untilPasses } from '../../../../testing/until-passes.ts'
import { openTestDatabase } from '../testing/database.ts'
import { startClockWatch } from './clock-watch.ts'
import { isWithinLimit } from './db/clock-offset.ts'
import type { Db } from './db/open.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

/** Watches a simulated machine clock and records the reactions of the process. */
async function watch({ offsetMs = 0, db = database.db }: { offsetMs?: number; db?: Db } = {}) {
  const machine = { offsetMs }
  const changes: boolean[] = []
  const offsets: number[] = []
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) })
  const clock = await startClockWatch({
    db,
    now: () => new Date(Date.now() + machine.offsetMs),
    onOffset: (ms) => offsets.push(ms),
    onChange: async (isRight) => void changes.push(isRight),
    log,
  })
  onTestFinished(() => clock.stop())
  return { clock, machine, changes, offsets, lines }
}

test('a correct clock triggers no change', async () => {
  const { clock, changes, offsets, lines } = await watch({ offsetMs: 3_000 })
  expect(clock.isRight()).toBe(true)
  expect(changes).toEqual([])
  expect(lines).toEqual([])
  expect(offsets[0]).toBeGreaterThan(2_000)
  expect(offsets[0]).toBeLessThan(4_000)
})

test('a wrong clock at startup is reported once, with the remedy', async () => {
  const { clock, changes, lines } = await watch({ offsetMs: -120_000 })
  expect(clock.isRight()).toBe(false)
  expect(changes).toEqual([false])
  expect(lines).toEqual([expect.stringContaining('Let both machines take their time from NTP.')])
})

test('a clock change is detected at once, and so is its correction', async () => {
  const { clock, machine, changes } = await watch()
  machine.offsetMs = 120_000
  await untilPasses(() => expect(clock.isRight(), 'see jumpMs in clock-watch.ts').toBe(false))
  machine.offsetMs = 0
  await untilPasses(() => expect(clock.isRight()).toBe(true))
  expect(changes).toEqual([false, true])
})

test('a measurement that took too long to be exact is ignored', () => {
  expect(isWithinLimit({ offsetMs: 9_000, errorMs: 100 })).toBe(true)
  expect(isWithinLimit({ offsetMs: -11_000, errorMs: 100 })).toBe(false)
  expect(isWithinLimit({ offsetMs: 11_000, errorMs: 5_000 })).toBeUndefined()
  expect(isWithinLimit({ offsetMs: 0, errorMs: 11_000 })).toBeUndefined()
})
