import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFastClock, systemClock } from '../clock.ts'
import type { Message } from './messages.ts'
import { createTimers, type Timers } from './timers.ts'

let sent: string[]
let timers: Timers

const wakeUps = {
  async tell(messages: readonly Message[]) {
    for (const { key, payload } of messages) sent.push(`${key} ${JSON.stringify(payload)}`)
  },
}

const wakeUp = (key: string, seq: number) => ({ service: 'deployment', key, handler: 'advance', payload: { seq } })

beforeEach(() => {
  vi.useFakeTimers()
  sent = []
  timers = createTimers(wakeUps, systemClock)
})
afterEach(() => {
  timers.stop()
  vi.useRealTimers()
})

test('a wake-up is sent when its time has come, once', () => {
  timers.set(wakeUp('dep_a', 1), 1_000)
  vi.advanceTimersByTime(999)
  expect(sent).toEqual([])
  vi.advanceTimersByTime(60_000)
  expect(sent).toEqual(['dep_a {"seq":1}'])
})

test('the next wake-up of a record takes the place of the one before, also where it comes earlier', () => {
  timers.set(wakeUp('dep_a', 1), 1_000)
  timers.set(wakeUp('dep_b', 1), 1_000)
  timers.set(wakeUp('dep_a', 2), 5_000)
  timers.set(wakeUp('dep_a', 3), 500)
  vi.advanceTimersByTime(60_000)
  expect(sent).toEqual(['dep_a {"seq":3}', 'dep_b {"seq":1}'])
})

test('a wake-up beyond the reach of timers is left to the sweep, and not sent at once', () => {
  timers.set(wakeUp('dep_a', 1), 1_000)
  timers.set(wakeUp('dep_a', 2), 30 * 86_400_000)
  vi.advanceTimersByTime(60_000)
  expect(sent).toEqual([])
})

test('on a fast clock, a wake-up comes as much sooner, also one that is beyond the reach of timers in real time', () => {
  const sooner = createTimers(wakeUps, createFastClock(60, new Date()))
  sooner.set(wakeUp('dep_a', 1), 60_000)
  sooner.set(wakeUp('dep_b', 1), 30 * 86_400_000)
  vi.advanceTimersByTime(999)
  expect(sent).toEqual([])
  vi.advanceTimersByTime(1)
  expect(sent).toEqual(['dep_a {"seq":1}'])
  vi.advanceTimersByTime(12 * 3_600_000)
  expect(sent).toEqual(['dep_a {"seq":1}', 'dep_b {"seq":1}'])
})

test('nothing is sent to a record that is over', () => {
  timers.set(wakeUp('dep_a', 1), 1_000)
  timers.set(wakeUp('dep_b', 1), 1_000)
  timers.clear(wakeUp('dep_a', 2))
  vi.advanceTimersByTime(60_000)
  expect(sent).toEqual(['dep_b {"seq":1}'])
})

test('nothing is sent after a stop', () => {
  timers.set(wakeUp('dep_a', 1), 1_000)
  timers.stop()
  timers.set(wakeUp('dep_b', 1), 1_000)
  vi.advanceTimersByTime(60_000)
  expect(sent).toEqual([])
})
