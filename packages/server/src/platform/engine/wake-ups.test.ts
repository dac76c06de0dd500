import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../clock.ts'
import type { Engine } from './client.ts'
import { type CheckRecord, createWakeUps, type WakeUps } from './wake-ups.ts'

let sent: string[]
let looked: string[]
let wakeUps: WakeUps

const engine: Engine = {
  async send(service, key, _handler, payload) {
    sent.push(
      JSON.stringify(payload ?? {}) === '{}' ? `${service} ${key}` : `${service} ${key} ${JSON.stringify(payload)}`,
    )
    return 'inv_1'
  },
  healthy: async () => true,
}

const wakeUp = (key: string, more = {}) => ({ service: 'deployment', key, handler: 'advance', ...more })
const inASecond = { delayMs: 1_000, idempotencyKey: 'dep_a 17' }

beforeEach(() => {
  vi.useFakeTimers()
  sent = []
  looked = []
  wakeUps = createWakeUps({ engine, clock: systemClock, log: pino({ level: 'silent' }) })
})
afterEach(async () => {
  await wakeUps.stop()
  vi.useRealTimers()
})

const checkFirst = (look: CheckRecord = async () => undefined) =>
  wakeUps.checkFirst('deployment', (message) => {
    looked.push(message.key)
    return look(message)
  })

test('a message goes to the engine if this process cannot check the record', async () => {
  await wakeUps.tell([wakeUp('dep_a')])
  expect(sent).toEqual(['deployment dep_a'])
})

test('a check that finds nothing to do sends no message to the engine', async () => {
  checkFirst()
  await wakeUps.tell([wakeUp('dep_a'), { service: 'cloud-event', key: 'evt_a', handler: 'look' }])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(looked).toEqual(['dep_a'])
  expect(sent).toEqual(['cloud-event evt_a'])
})

test('what a look leaves, or fails at, is left to the engine', async () => {
  checkFirst(async (message) => {
    if (message.key === 'dep_b') throw new Error('the database is gone')
    return { ...message, payload: { isTold: true } }
  })
  await wakeUps.tell([wakeUp('dep_a'), wakeUp('dep_b')])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sent.toSorted()).toEqual(['deployment dep_a {"isTold":true}', 'deployment dep_b'])
})

test('messages of a burst are checked once, after the burst', async () => {
  checkFirst()
  await wakeUps.tell([wakeUp('dep_a', inASecond)])
  await wakeUps.tell([wakeUp('dep_a', inASecond)])
  await vi.advanceTimersByTimeAsync(999)
  expect(looked).toEqual([])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(looked).toEqual(['dep_a'])
})

test('an immediate check replaces a scheduled one', async () => {
  checkFirst()
  await wakeUps.tell([wakeUp('dep_a', inASecond), wakeUp('dep_b', { ...inASecond, idempotencyKey: 'dep_b 17' })])
  await wakeUps.tell([wakeUp('dep_a')])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(looked).toEqual(['dep_a', 'dep_b'])
  expect(sent).toEqual([])
})

test('a stop leaves to the engine what waited for a look', async () => {
  checkFirst()
  await wakeUps.tell([wakeUp('dep_a', inASecond)])
  await wakeUps.stop()
  await wakeUps.tell([wakeUp('dep_b')])
  expect(looked).toEqual([])
  expect(sent).toEqual(['deployment dep_a', 'deployment dep_b'])
})
