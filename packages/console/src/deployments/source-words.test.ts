import { expect, test } from 'vitest'
import { sourceLine } from './source-words.ts'

const commit = '0a1b2c3d'.repeat(5)

test.each([
  [undefined, undefined],
  [{ image: 'web:1' }, undefined],
  [{ commit }, '0a1b2c3d'],
  [{ commit, message: 'Add the cart\n\nWith a test.' }, '0a1b2c3d Add the cart'],
  [{ commit, message: 'Add the cart', author: 'Ada' }, '0a1b2c3d Add the cart, by Ada'],
])('%j is told in a line', (source, line) => {
  expect(sourceLine(source)).toBe(line)
})
