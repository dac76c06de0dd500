import { expect, test } from 'vitest'
import { attributesFromLines, linesOfAttributes, replaceAt } from './price-fields.ts'

test.each([
  [{}, ''],
  [{ instance_type: 't3.large' }, 'instance_type = t3.large'],
  [{ 'tags.team': 'a = b', engine: '' }, 'tags.team = a = b\nengine = '],
])('the attributes %j of a price are unchanged after editing', (where, lines) => {
  expect(linesOfAttributes({ where })).toBe(lines)
  expect(attributesFromLines(lines)).toEqual(where)
})

test('blank lines and surrounding blanks are ignored', () => {
  expect(attributesFromLines('\n  instance_type=t3.large  \n\n')).toEqual({ instance_type: 't3.large' })
})

test('a price is changed and removed in place, and a new one is appended', () => {
  expect(replaceAt(['a', 'b', 'c'], 1, 'x')).toEqual(['a', 'x', 'c'])
  expect(replaceAt(['a', 'b', 'c'], 1, undefined)).toEqual(['a', 'c'])
  expect(replaceAt(['a'], 1, 'b')).toEqual(['a', 'b'])
})
