import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { fromFieldTime, scheduleTypeOf, toFieldTime, weeklyIn, weeklyOf } from './freeze-schedule.ts'

const recurring = (cron: string) => ({ cron, timeZone: 'Europe/Berlin', minutes: 60 })

test(
  'a weekly window is shown in the form',
  everyCase(
    [
      [undefined, 'once'],
      [{ from: '2030-01-01T00:00:00Z', until: '2030-01-02T00:00:00Z' }, 'once'],
      [recurring('0 16 * * 5'), 'weekly'],
      [recurring('0 16 * * *'), 'weekly'],
      [recurring('0 16 1 * *'), 'cron'],
      [recurring('0 16 * * 1-5'), 'cron'],
    ] as const,
    (window, kind) => {
      expect(scheduleTypeOf(window)).toBe(kind)
    },
  ),
)

test.each(['0 16 * * 5', '30 8 * * 1,3', '5 0 * * *'])('%s is unchanged after editing', (cron) => {
  const { days, time } = weeklyOf(recurring(cron))
  expect(weeklyIn(time, days.join(','))).toBe(cron)
})

test('a time is unchanged after editing, to the minute', () => {
  expect(fromFieldTime(toFieldTime('2030-06-01T10:20:30.500Z'))).toBe('2030-06-01T10:20:00.000Z')
})
