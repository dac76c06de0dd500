import { expect, test } from 'vitest'
import { describeScenarioEnd, formatDurationSeconds } from './verdict.ts'

const facts: Parameters<typeof describeScenarioEnd>[0] = {
  scenario: 'NO_FAULT',
  outcome: 'SUCCESS',
  durationSeconds: 1_879,
  errorSeconds: 0,
  peakErrorPercent: 0,
  isStillBroken: false,
  restoreSeconds: undefined,
  pauseCount: 0,
  hasEveryFault: true,
}

test.for([
  [{}, 'The release succeeds after 31 min 19 s; users see no errors.'],
  [{ pauseCount: 1 }, 'The release succeeds after 31 min 19 s with 1 pause; users see no errors.'],
  [
    { hasEveryFault: false },
    'The release succeeds after 31 min 19 s; users see no errors; it ends before every fault has occurred.',
  ],
  [
    { errorSeconds: 420, isStillBroken: true },
    'The release succeeds after 31 min 19 s; users see errors until someone rolls it back.',
  ],
  [
    { outcome: 'ROLLED_BACK', errorSeconds: 30, peakErrorPercent: 10, restoreSeconds: 30 },
    'The release is rolled back after 31 min 19 s; users see errors for 30 s in at most 10 % of their requests, and the old version has all traffic again 30 s after the fault.',
  ],
] as const)('the verdict describes how the release ends and what users see: %j', ([change, verdict]) => {
  expect(describeScenarioEnd({ ...facts, ...change })).toBe(verdict)
})

test.for([
  [0, '0 s'],
  [59, '59 s'],
  [3_600, '1 h'],
  [90_061, '1 d 1 h'],
] as const)('%d seconds are %s', ([seconds, words]) => {
  expect(formatDurationSeconds(seconds)).toBe(words)
})
