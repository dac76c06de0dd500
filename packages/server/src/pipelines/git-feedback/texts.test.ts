import { pipelineRunStatuses } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import type { PlanOfRun, RehearsalOfRun, RunResults, UnreportedRun } from './store.ts'
import { checkOf, checkStateOf, commentOf, isFinalStatus, statusOf } from './texts.ts'

const url = 'https://sluice.example/console/runs/run_1'

const nothing: RunResults = { plans: [], rehearsals: [] }

const unreported = (run: object): UnreportedRun =>
  ({
    run: { id: 'run_1', error: null, ...run },
    pipeline: { id: 'pl_1', givenId: 'release', name: 'Release' },
    project: { givenId: 'shop' },
    feedback: { commit: 'abcdef0123456789' },
  }) as UnreportedRun

test(
  'the state of a run maps to a commit status and a check',
  everyCase(
    [
      ['QUEUED', 'pending', 'queued', false],
      ['IN_PROGRESS', 'pending', 'running', false],
      ['PENDING_APPROVAL', 'pending', 'running', false],
      ['SUCCESS', 'success', 'success', true],
      ['ERROR', 'failure', 'failure', true],
      ['CANCELLED', 'failure', 'cancelled', true],
    ] as const,
    (status, state, ofCheck, isLast) => {
      const name = 'sluice/shop/release'
      expect(statusOf(unreported({ status }), url)).toMatchObject({ name, state, url })
      expect(checkOf(unreported({ status }))).toEqual({ id: 'run_1', commit: 'abcdef0123456789', name })
      expect(checkStateOf(unreported({ status }), nothing, url)).toMatchObject({ state: ofCheck, url })
      expect(isFinalStatus(status)).toBe(isLast)
    },
  ),
)

test("a check has the run's status as its title, and its plans with a link as its summary", () => {
  const failed = unreported({ status: 'ERROR', error: { message: 'The step\nfailed.' } })
  const { title, summary } = checkStateOf(failed, { ...nothing, plans: [plan({ hasChanges: false })] }, url)
  expect(title).toBe('Failed: The step failed.')
  expect(summary).toContain(`[Failed](${url}) at abcdef01`)
  expect(summary).toContain('| Network | no changes |')
})

test('a check says how a rehearsed release ends in each scenario', () => {
  const rehearsal = {
    instance: 'Web | shop',
    status: 'SUCCESS',
    scenarios: [
      { name: 'NO_FAULT', status: 'SUCCESS', verdict: 'The release succeeds after 12 min; users see no errors.' },
      { name: 'TASKS_CRASH', status: 'ERROR', error: { code: 'x', message: 'The scenario could not be rehearsed.' } },
    ],
  } as RehearsalOfRun
  const { summary } = checkStateOf(unreported({ status: 'SUCCESS' }), { ...nothing, rehearsals: [rehearsal] }, url)
  expect(summary).toContain(
    [
      '| Rehearsal of Web &#124; shop | Result |',
      '|---|---|',
      '| Nothing goes wrong | The release succeeds after 12 min; users see no errors. |',
      '| The new version crashes | The scenario could not be rehearsed. |',
    ].join('\n'),
  )
})

test('every status of a run has a text', () => {
  for (const status of pipelineRunStatuses) expect(statusOf(unreported({ status }), url).description).toMatch(/^[A-Z]/)
})

test('a failure has its reason on one line', () => {
  const status = statusOf(unreported({ status: 'ERROR', error: { message: 'The step\nfailed.' } }), url)
  expect(status.description).toBe('Failed: The step failed.')
})

const plan = (change: object): PlanOfRun =>
  ({ stack: 'Network', kind: 'PLAN', hasChanges: true, summary: {}, ...change }) as PlanOfRun

test(
  'the changes of a plan are summarized',
  everyCase(
    [
      [
        { summary: { changeCounts: { CREATE: 2, DELETE: 1, NO_OP: 7, READ: 1, UPDATE: 0 } } },
        '2 to create, 1 to delete',
      ],
      [{ hasChanges: false }, 'no changes'],
      [{ hasChanges: false, kind: 'DRIFT' }, 'no drift'],
      [{}, 'changes'],
      [
        {
          summary: {
            changeCounts: { CREATE: 1 },
            cost: {
              currency: 'EUR',
              monthlyBefore: '0.00',
              monthlyAfter: '7.00',
              monthlyDifference: '7.00',
              unpricedCount: 1,
              unpriced: [{ resourceType: 'a_queue', count: 1 }],
            },
          },
        },
        '1 to create; 7.00 EUR more per month: 7.00 instead of 0.00; no price for 1 (a&#95;queue 1)',
      ],
    ],
    (change, words) => {
      expect(
        commentOf(unreported({ status: 'PENDING_APPROVAL' }), { ...nothing, plans: [plan(change)] }, url).text,
      ).toContain(`| Network | ${words} |`)
    },
  ),
)

test('the reasons, warnings, moves and outputs of a plan are listed as plain text', () => {
  const review = {
    reasonCounts: { IMPORT: 1, MOVE: 1 },
    warningCount: 1,
    outputChangeCount: 1,
    warnings: [{ summary: 'Check block assertion failed', detail: 'Ask @ada', file: 'main.tf', line: 3 }],
    moves: [{ address: 'a.new', previousAddress: 'a.old', changeType: 'NO_OP' }],
    outputChanges: [{ name: 'url', changeType: 'UPDATE', before: 'a', after: 'b' }],
  }
  const { text } = commentOf(
    unreported({ status: 'PENDING_APPROVAL' }),
    { ...nothing, plans: [plan({ summary: { changeCounts: { REPLACE: 1 } }, review })] },
    url,
  )
  expect(text).toContain('| Network | 1 to replace; 1 imported, 1 moved, 1 output change, 1 warning |')
  expect(text.split('\n').slice(-3)).toEqual([
    '- Network: Warning: Check block assertion failed (main.tf line 3): Ask &#64;ada',
    '- Network: a.old has moved to a.new',
    '- Network: Output url: a → b',
  ])
})

test('a long list of findings is cut, with the number of omitted ones', () => {
  const moves = Array.from({ length: 12 }, (_, index) => ({ address: `a[${index}]`, previousAddress: 'b' }))
  const none = { warnings: [], warningCount: 0, outputChanges: [], outputChangeCount: 0 }
  const review = { ...none, reasonCounts: { MOVE: 12 }, moves }
  const { text } = commentOf(unreported({ status: 'SUCCESS' }), { ...nothing, plans: [plan({ review })] }, url)
  expect(text).toMatch(/- Network: and 2 more$/)
  expect(text.match(/has moved to/g)).toHaveLength(10)
})

test('names cannot contain markup or mention users', () => {
  const { text } = commentOf(
    unreported({ status: 'SUCCESS' }),
    { ...nothing, plans: [plan({ stack: 'a|b @ada <img> [x](y) #1\n## c' })] },
    url,
  )
  expect(text.split('\n')).toHaveLength(5)
  expect(text).not.toMatch(/@ada|<img>|\[x\]|#1 /)
})

test('a comment of a run without plans is one line after the marker of its pipeline', () => {
  expect(commentOf(unreported({ status: 'SUCCESS' }), nothing, url)).toEqual({
    marker: '<!-- sluice pl_1 -->',
    text: `**Release**: [Succeeded](${url}) at abcdef01`,
  })
})
