import { expect, test } from 'vitest'
import { currentExpression } from './former-names.ts'

test('a policy from before version 0.3 still recognizes users as starters', () => {
  expect(currentExpression("environment.givenId != 'production' || starter.kind != 'PERSON'")).toBe(
    "environment.givenId != 'production' || starter.kind != 'USER'",
  )
  expect(currentExpression('starter.kind in ["PERSON", "NOBODY"]')).toBe('starter.kind in ["USER", "NOBODY"]')
  expect(currentExpression("instance.name != 'PERSON'")).toBe("instance.name != 'PERSON'")
})
