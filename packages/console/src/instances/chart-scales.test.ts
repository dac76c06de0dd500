import { expect, test } from 'vitest'
import { linesOf, nearestTime, scalesOf, timesOf } from './chart-scales.ts'

const at = (minute: number) => Date.UTC(2026, 0, 1, 12, minute)
const series = (name: string, ...values: number[]) => ({
  name,
  points: values.map((value, minute) => ({ timestamp: new Date(at(minute)).toISOString(), value })),
})
const plot = { width: 600, height: 200, range: [at(0), at(10)] as [number, number] }

test('counts have whole numbers on the axis', () => {
  expect(scalesOf(linesOf([series('tasks', 0, 1, 2)]), [], plot).values).toEqual([0, 1, 2])
  expect(scalesOf(linesOf([series('seconds', 0.1, 0.4)]), [], plot).values).toContain(0.2)
})

test('the axis of values starts at zero, ends at a round number and includes the bounds', () => {
  const { y } = scalesOf(linesOf([series('errors', 7, 9)]), [{ value: 47, label: 'limit' }], plot)
  expect(y.domain()).toEqual([0, 50])
  expect(scalesOf(linesOf([series('change', -7, 9)]), [], plot).y.domain()[0]).toBeLessThanOrEqual(-7)
})

test('a chart without points and a chart of zeros have an axis', () => {
  expect(scalesOf(linesOf([series('nothing')]), [], plot).y.domain()).toEqual([0, 1])
  expect(scalesOf(linesOf([series('zeros', 0, 0)]), [], plot).y.domain()).toEqual([0, 1])
})

test('the closest time is found across lines', () => {
  const times = timesOf(linesOf([series('new', 1, 2, 3), series('old', 1)]))
  expect(times).toEqual([at(0), at(1), at(2)])
  expect(nearestTime(times, at(1) + 20_000)).toBe(1)
  expect(nearestTime([], at(1))).toBeUndefined()
})
