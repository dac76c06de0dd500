import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import {
  blockableActions,
  describeBlocked,
  describeCron,
  describeReason,
  describeWindow,
  formatMinutes,
} from './freeze-text.ts'

test(
  'a cron expression is described in words',
  everyCase(
    [
      ['0 16 * * 5', 'every Friday 16:00'],
      ['30 8 * * *', 'every day 08:30'],
      ['0 0 * * 6,0', 'every Saturday and Sunday 00:00'],
      ['0 18 * * 1-5', 'every Monday to Friday 18:00'],
      ['0 18 * * 7', 'every Sunday 18:00'],
      ['0 18 * * fri', 'every Friday 18:00'],
      ['0 9 1 * *', 'on day 1 of every month 09:00'],
      ['0 17 23 12 *', 'every year on 23 December 17:00'],
      ['*/5 * * * *', undefined],
      ['0 9 1 * 1', undefined],
      ['0 9 * 12 *', undefined],
      ['0 9 * * 1#2', undefined],
      ['0 16', undefined],
    ],
    (cron, words) => {
      expect(describeCron(cron)).toBe(words)
    },
  ),
)

test(
  'a duration is described in words',
  everyCase(
    [
      [3840, '2 d 16 h'],
      [1440, '1 d'],
      [61, '1 h 1 min'],
      [45, '45 min'],
    ],
    (minutes, words) => {
      expect(formatMinutes(minutes)).toBe(words)
    },
  ),
)

test('a recurring window is described with its city and duration', () => {
  const window = { cron: '0 16 * * 5', timeZone: 'Europe/Berlin', minutes: 3840 }
  expect(describeWindow(window)).toBe('every Friday 16:00 Berlin, for 2 d 16 h')
  expect(describeWindow({ ...window, cron: '*/7 16 * * 5', timeZone: 'America/New_York' })).toBe(
    'cron */7 16 * * 5 New York, for 2 d 16 h',
  )
})

test('a freeze without a reason is described by its name', () => {
  expect(describeReason({ name: 'Holidays', reason: 'Half of us are away.' })).toBe('Half of us are away. (Holidays)')
  expect(describeReason({ name: 'Holidays' })).toBe('Holidays')
})

test('blocked actions are listed in one phrase', () => {
  expect(describeBlocked(['RELEASES', 'ROLLBACKS'])).toBe('releases and rollbacks')
  expect(describeBlocked(blockableActions.map(({ act }) => act))).toMatch(
    /^releases, continuing paused releases, .*and \w+/,
  )
})
