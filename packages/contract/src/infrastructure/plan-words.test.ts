import { expect, test } from 'vitest'
import type { PlanReview } from './iac-plan.ts'
import { reasonInWords, reviewInWords, reviewLines } from './plan-words.ts'

const nothing: PlanReview = {
  reasonCounts: {},
  warnings: [],
  warningCount: 0,
  outputChanges: [],
  outputChangeCount: 0,
  moves: [],
}

test("known reasons have a display text, others keep the tool's name", () => {
  expect(reasonInWords('IMPORT')).toBe('imported')
  expect(reasonInWords('DELETE_BECAUSE_EACH_KEY')).toBe('delete because each key')
})

test('the counts of a review are on one line without zeros', () => {
  expect(reviewInWords(nothing)).toBe('')
  const review = { ...nothing, reasonCounts: { IMPORT: 1, MOVE: 2 }, outputChangeCount: 1, warningCount: 2 }
  expect(reviewInWords(review)).toBe('1 imported, 2 moved, 1 output change, 2 warnings')
})

test('warnings, moves and outputs have a line each, and unlisted ones are counted', () => {
  expect(reviewLines(nothing)).toEqual([])
  const review: PlanReview = {
    reasonCounts: { MOVE: 3 },
    warnings: [
      { summary: 'Check block assertion failed', detail: 'Too small.', address: 'a.b', file: 'main.tf', line: 3 },
      { summary: 'Resource targeting is in effect' },
    ],
    warningCount: 3,
    moves: [{ address: 'a.new', previousAddress: 'a.old', changeType: 'NO_OP' }],
    outputChanges: [
      { name: 'url', changeType: 'UPDATE', before: 'a', after: { b: 1 } },
      { name: 'gone', changeType: 'DELETE', before: 'a' },
    ],
    outputChangeCount: 2,
  }
  expect(reviewLines(review)).toEqual([
    'Warning: Check block assertion failed (a.b, main.tf line 3): Too small.',
    'Warning: Resource targeting is in effect',
    'More warnings: 1',
    'a.old has moved to a.new',
    'More moves: 2',
    'Output url: a → {"b":1}',
    'Output gone: a (removed)',
  ])
})
