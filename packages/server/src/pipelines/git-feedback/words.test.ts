import { pipelineRunStatuses } from '@sluice/contract'
import { expect, test } from 'vitest'
import type { PlanOfRun, Untold } from './store.ts'
import { commentOf, isLastWord, statusOf } from './words.ts'

const url = 'https://sluice.example/console/runs/run_1'

const untold = (run: object): Untold =>
  ({
    run: { id: 'run_1', error: null, ...run },
    pipeline: { id: 'pl_1', givenId: 'release', name: 'Release' },
    project: { givenId: 'shop' },
    feedback: { commit: 'abcdef0123456789' },
  }) as Untold

test.each([
  ['QUEUED', 'pending', false],
  ['IN_PROGRESS', 'pending', false],
  ['PENDING_APPROVAL', 'pending', false],
  ['SUCCESS', 'success', true],
  ['ERROR', 'failure', true],
  ['CANCELLED', 'failure', true],
] as const)('a run that is %s is %s', (status, state, isLast) => {
  expect(statusOf(untold({ status }), url)).toMatchObject({ name: 'sluice/shop/release', state, url })
  expect(isLastWord(status)).toBe(isLast)
})

test('every status of a run has words', () => {
  for (const status of pipelineRunStatuses) expect(statusOf(untold({ status }), url).description).toMatch(/^[A-Z]/)
})

test('a failure says why, on one line', () => {
  const status = statusOf(untold({ status: 'ERROR', error: { message: 'The step\nfailed.' } }), url)
  expect(status.description).toBe('Failed: The step failed.')
})

const plan = (change: object): PlanOfRun =>
  ({ stack: 'Network', kind: 'PLAN', hasChanges: true, summary: {}, ...change }) as PlanOfRun

test.each([
  [{ summary: { changeCounts: { CREATE: 2, DELETE: 1, NO_OP: 7, READ: 1, UPDATE: 0 } } }, '2 to create, 1 to delete'],
  [{ hasChanges: false }, 'no changes'],
  [{ hasChanges: false, kind: 'DRIFT' }, 'no drift'],
  [{}, 'changes'],
  [
    {
      summary: {
        changeCounts: { CREATE: 1 },
        cost: {
          ...{ currency: 'EUR', monthlyBefore: '0.00', monthlyAfter: '7.00', monthlyDifference: '7.00' },
          ...{ unpricedCount: 1, unpriced: [{ resourceType: 'a_queue', count: 1 }] },
        },
      },
    },
    '1 to create; 7.00 EUR more a month: 7.00 instead of 0.00; no price is known of 1 (a&#95;queue 1)',
  ],
])('%o is told as: %s', (change, words) => {
  expect(commentOf(untold({ status: 'PENDING_APPROVAL' }), [plan(change)], url).text).toContain(
    `| Network | ${words} |`,
  )
})

test('names are no markup and call nobody', () => {
  const { text } = commentOf(untold({ status: 'SUCCESS' }), [plan({ stack: 'a|b @ada <img> [x](y) #1\n## c' })], url)
  expect(text.split('\n')).toHaveLength(5)
  expect(text).not.toMatch(/@ada|<img>|\[x\]|#1 /)
})

test('a comment of a run without plans is one line, behind the marker of its pipeline', () => {
  expect(commentOf(untold({ status: 'SUCCESS' }), [], url)).toEqual({
    marker: '<!-- sluice pl_1 -->',
    text: `**Release**: [Succeeded](${url}) at abcdef01`,
  })
})
