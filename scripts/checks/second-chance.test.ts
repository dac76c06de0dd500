import { expect, test } from 'vitest'
import { isPure } from './purity.ts'
import { mayRunAgain, patternOf, tooManyFlaky } from './second-chance.ts'
import type { Suite } from './suites.ts'

const suite = (secondChance: Suite['secondChance']): Suite => ({
  name: 'a suite',
  guards: '',
  command: [],
  limitS: 1,
  secondChance,
})
const failed = (file: string, reason = 'AssertionError: expected 1 to be 2') => ({ file, name: 'a test', reason })

test('a failed test runs again unless it is pure or its failures are always findings', () => {
  const file = 'packages/server/src/delivery/deployments/execution/pauses.wide.test.ts'
  const stalled = 'Error: No progress for 120 s while waiting for the run'
  const rows: [Suite['secondChance'], string, string | undefined, boolean][] = [
    ['any', file, undefined, true],
    ['any', 'packages/expressions/src/render.test.ts', undefined, false],
    ['any', 'packages/server/src/interface/conformance/tenancy.wide.test.ts', undefined, false],
    ['any', 'packages/server/src/platform/db/schema.test.ts', undefined, false],
    ['stalled', 'packages/server/crash/kills.test.ts', undefined, false],
    ['stalled', 'packages/server/crash/kills.test.ts', stalled, true],
    ['never', file, stalled, false],
  ]
  for (const [secondChance, path, reason, expected] of rows) {
    const again = mayRunAgain({ ...failed(path, reason), suite: suite(secondChance) }, isPure)
    expect(again, `${secondChance}, ${path}, ${reason}`).toBe(expected)
  }
})

test('a test is pure if no workspace module that it imports does I/O', () => {
  expect(isPure('packages/server/src/delivery/deployments/types/ecs/machine.test.ts')).toBe(true)
  expect(isPure('packages/server/src/delivery/deployments/execution/pauses.wide.test.ts')).toBe(false)
  expect(isPure('scripts/checks/checks.wide.test.ts')).toBe(false)
})

test('three flaky tests in two files are tolerated, and no more', () => {
  expect(tooManyFlaky([])).toBeUndefined()
  expect(tooManyFlaky([failed('a'), failed('a'), failed('b')])).toBeUndefined()
  expect(tooManyFlaky([failed('a'), failed('b'), failed('c')])).toMatch('3 files')
  expect(tooManyFlaky([failed('a'), failed('a'), failed('a'), failed('a')])).toMatch('4 tests')
})

test('the pattern of a test matches its joined name in vitest and no other', () => {
  const pattern = new RegExp(patternOf('pauses > a pause (of 1.5 h) ends'))
  expect(pattern.test('pauses a pause (of 1.5 h) ends')).toBe(true)
  expect(pattern.test('pauses a pause (of 175 h) ends')).toBe(false)
  expect(pattern.test('other pauses a pause (of 1.5 h) ends')).toBe(false)
})
