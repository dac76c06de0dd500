import { expect, test, vi } from 'vitest'
import { Clock, newClockSetting } from './clock.ts'

test('the timestamp of a moment does not change when the clock is advanced', () => {
  using time = vi.spyOn(Date, 'now')
  let wallMs = 1_700_000_000_000
  time.mockImplementation(() => wallMs++) // the wall clock differs at every reading
  const clock = new Clock(newClockSetting(1))
  const deadline = clock.now() + 600_000
  const told = clock.timestamp(deadline)
  for (let turn = 0; turn < 1000; turn++) clock.advance(1)
  expect(clock.timestamp(deadline)).toBe(told)
})

test('with an epoch, timestamps run as fast as cloud time, even after a restart', () => {
  using time = vi.spyOn(Date, 'now')
  const epochMs = 1_700_000_000_000
  time.mockReturnValue(epochMs + 1_000)
  const clock = new Clock(newClockSetting(60, epochMs))
  expect(clock.timestamp()).toBe(epochMs + 60_000)
  time.mockReturnValue(epochMs + 2_000)
  const again = new Clock(clock.setting)
  expect(again.timestamp()).toBe(epochMs + 120_000)
  expect(again.cloudMsIn(60_000)).toBe(60_000)
})
