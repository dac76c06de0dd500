import { expect, test } from 'vitest'
import { moved } from './moved.ts'

test.each([
  [0, 1, 'bac'],
  [2, -1, 'acb'],
  [0, -1, 'abc'],
  [2, 1, 'abc'],
  [7, -1, 'abc'],
])('the item at %i goes %i places on', (index, by, expected) => {
  expect(moved([...'abc'], index, by).join('')).toBe(expected)
})
