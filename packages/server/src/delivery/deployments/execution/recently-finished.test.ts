import { expect, test } from 'vitest'
import { FollowUps } from './recently-finished.ts'

test('a call that comes after the follow-up of another one has nothing to do, while the same call repeated follows up again', () => {
  const followedUp = new FollowUps()
  expect(followedUp.byAnother('dep_a', 'inv_1')).toBe(false)
  followedUp.add('dep_a', 'inv_1')
  expect(followedUp.byAnother('dep_a', 'inv_1'), 'made again, because its messages may be lost').toBe(false)
  expect(followedUp.byAnother('dep_a', 'inv_2')).toBe(true)
  expect(followedUp.byAnother('dep_b', 'inv_2')).toBe(false)
})

test('an old end is evicted, and followed up again', () => {
  const followedUp = new FollowUps()
  for (let index = 0; index <= 10_000; index++) followedUp.add(`dep_${index}`, 'inv_1')
  expect(followedUp.byAnother('dep_0', 'inv_2')).toBe(false)
  expect(followedUp.byAnother('dep_1', 'inv_2')).toBe(true)
})
