import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { describeSource } from './source-text.ts'

const commit = '0a1b2c3d'.repeat(5)

test(
  'the source of a release fits in one line',
  everyCase(
    [
      [undefined, undefined],
      [{ image: 'web:1' }, undefined],
      [{ commit }, '0a1b2c3d'],
      [{ commit, message: 'Add the cart\n\nWith a test.' }, '0a1b2c3d Add the cart'],
      [{ commit, message: 'Add the cart', author: 'Ada' }, '0a1b2c3d Add the cart, by Ada'],
    ],
    (source, line) => {
      expect(describeSource(source)).toBe(line)
    },
  ),
)
