import { expect, test } from 'vitest'
import { untilPasses } from '../../../../../testing/until-passes.ts'
import { systemClock } from '../clock.ts'
import { sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { emptyDirectory, openEngine, recorder, silentLog } from './engine.fixture.ts'
import type { EngineConnection } from './engine.ts'
import type { OverdueSource } from './overdue.ts'
import { reconciling } from './reconciler.ts'

/** Rows that are overdue until their message is sent, and a sweep of them. */
function overdueRows(engine: EngineConnection, keys: string[], wakeAt = new Date()) {
  const rows = new Set(keys)
  const sentAgain: string[] = []
  const overdue: OverdueSource = {
    due: sql`select 1`,
    service: 'recorder',
    find: async () => Array.from(rows, (id) => ({ id, key: id, wakeAt })),
    async claim(_db, _clock, ids) {
      sentAgain.push(...ids)
      for (const id of ids) rows.delete(id)
      return ids.map((key) => ({ service: 'recorder', key, handler: 'pass' }))
    },
  }
  const parts = { db: undefined as unknown as Db, engine, onSentAgain: () => {}, clock: systemClock, log: silentLog }
  const [sweep] = reconciling(parts, [overdue])
  if (!sweep) throw new Error('there is no sweep')
  return { rows, sentAgain, sweep: () => sweep.sweep() }
}

test('a message that waits in the engine is not sent again, however often a sweep finds its row', async () => {
  const { service, received, gate } = recorder()
  const { engine } = await openEngine(await emptyDirectory())
  await engine.serve([service])
  gate.closed = true
  const keys = Array.from({ length: 10 }, (_, index) => `busy-${index}`)
  await Promise.all(keys.map((key) => engine.send('recorder', key, 'pass')))
  await untilPasses(() => expect(gate.knocks).toBeGreaterThanOrEqual(keys.length))

  const { rows, sentAgain, sweep } = overdueRows(engine, keys)
  for (let round = 0; round < 5; round += 1) await sweep()
  expect(sentAgain, 'see reconcile in reconciler.ts').toEqual([])

  rows.add('lost')
  await sweep()
  expect(sentAgain).toEqual(['lost'])
  gate.closed = false
  const once = Object.fromEntries([...keys, 'lost'].map((key) => [key, ['passed']]))
  await untilPasses(() => expect(received).toEqual(once))
})

test('nothing is claimed while the engine does not answer, and all is sent once it does', async () => {
  const { service, received } = recorder()
  const { engine } = await openEngine(await emptyDirectory())
  await engine.serve([service])
  let isAway = true
  const flaky = { ...engine, healthy: async () => !isAway && (await engine.healthy()) }
  const { sentAgain, sweep } = overdueRows(flaky, ['a', 'b'])
  await sweep()
  expect(sentAgain).toEqual([])
  isAway = false
  await sweep()
  await untilPasses(() => expect(received).toEqual({ a: ['passed'], b: ['passed'] }))
})

test('while the engine does not list its messages, only rows that are long overdue are sent again', async () => {
  const { service } = recorder()
  const { engine } = await openEngine(await emptyDirectory())
  await engine.serve([service])
  const busy = { ...engine, activeKeys: () => Promise.reject(new Error('it did not answer within 5 s')) }
  const late = overdueRows(busy, ['late'])
  await late.sweep()
  expect(late.sentAgain, 'see findLost in reconciler.ts').toEqual([])
  const longLate = overdueRows(busy, ['long late'], new Date(Date.now() - 600_000))
  await longLate.sweep()
  expect(longLate.sentAgain).toEqual(['long late'])
})

test('a message for a later time, and one for another object, are none that waits', async () => {
  const { service } = recorder()
  const { engine } = await openEngine(await emptyDirectory())
  await engine.serve([service])
  await engine.send('recorder', "it's later", 'record', 1, { delayMs: 3_600_000 })
  expect(await engine.activeKeys('recorder', ["it's later", 'never'])).toEqual(new Set())
  expect(await engine.activeKeys('recorder', [])).toEqual(new Set())
})
