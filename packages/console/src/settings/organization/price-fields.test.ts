import { expect, test } from 'vitest'
import { linesOf, placed, whereIn } from './price-fields.ts'

test.each([
  [{}, ''],
  [{ instance_type: 't3.large' }, 'instance_type = t3.large'],
  [{ 'tags.team': 'a = b', engine: '' }, 'tags.team = a = b\nengine = '],
])('the attributes %j of a price are the same after they were edited', (where, lines) => {
  expect(linesOf({ where })).toBe(lines)
  expect(whereIn(lines)).toEqual(where)
})

test('blank lines and blanks around a path and a value name nothing', () => {
  expect(whereIn('\n  instance_type=t3.large  \n\n')).toEqual({ instance_type: 't3.large' })
})

test('a price is changed and removed where it stands, and a new one comes last', () => {
  expect(placed(['a', 'b', 'c'], 1, 'x')).toEqual(['a', 'x', 'c'])
  expect(placed(['a', 'b', 'c'], 1, undefined)).toEqual(['a', 'c'])
  expect(placed(['a'], 1, 'b')).toEqual(['a', 'b'])
})
