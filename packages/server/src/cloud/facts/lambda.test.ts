import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { isMovingTo } from './lambda.ts'

test(
  'an alias is moving to a version only while the other version still gets all of its calls',
  everyCase(
    [
      [{ version: '2', additionalVersion: '1', additionalWeight: 1 }, true],
      [{ version: '2', additionalVersion: '1', additionalWeight: 0.1 }, false],
      [{ version: '2', additionalVersion: '3', additionalWeight: 1 }, false],
      [{ version: '1', additionalVersion: '2', additionalWeight: 1 }, false],
      [{ version: '2' }, false],
    ],
    (alias, isMoving) => {
      expect(isMovingTo(alias, { version: '2' }, '1')).toBe(isMoving)
    },
  ),
)
