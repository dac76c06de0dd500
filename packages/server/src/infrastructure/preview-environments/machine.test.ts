import { moduleInstanceStatuses, pipelineRunStatuses, previewStatuses } from '@sluice/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { isReopenedBy, nextAction, type Part, type PreviewFacts, retryAfter } from './machine.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const later = new Date('2026-01-02T00:00:00.000Z')
const before = new Date('2025-12-31T00:00:00.000Z')

const part = (more: Partial<Part> = {}): Part => ({
  id: 'mi_1',
  givenId: 'web',
  status: 'ACTIVE',
  hasStack: true,
  isBusy: false,
  referredBy: [],
  error: undefined,
  ...more,
})

const facts = (preview: Partial<PreviewFacts['preview']> = {}, more: Partial<PreviewFacts> = {}): PreviewFacts => ({
  preview: {
    status: 'CREATING',
    commit: 'b',
    begunCommit: 'b',
    endReason: null,
    expiresAt: later,
    environmentId: 'env_1',
    askedToGo: [],
    failedTeardowns: 0,
    retryAt: null,
    updatedAt: now,
    ...preview,
  },
  parts: [part()],
  hasRoom: true,
  hasPipeline: false,
  run: undefined,
  ...more,
})

describe('while it is wanted', () => {
  const waiting = { status: 'WAITING', environmentId: null, begunCommit: null } as const
  test(
    'each state has its next action',
    everyCase(
      [
        ['it waits while the project is full', facts(waiting, { hasRoom: false }), { do: 'rest' }],
        ['it is made once there is room', facts(waiting), { do: 'create' }],
        ['it waits for its infrastructure', facts({}, { parts: [part({ status: 'UPDATING' })] }), { do: 'rest' }],
        ['the pipeline follows', facts({}, { hasPipeline: true }), { do: 'start the pipeline' }],
        ['the pipeline is waited for', facts({}, { hasPipeline: true, run: 'IN_PROGRESS' }), { do: 'rest' }],
        ['it is ready then', facts({}, { hasPipeline: true, run: 'SUCCESS' }), { do: 'move', to: 'READY' }],
        ['without a pipeline at once', facts(), { do: 'move', to: 'READY' }],
        ['what failed is told', facts({}, { parts: [part({ status: 'ERROR', error: 'No.' })] }), { to: 'FAILED' }],
        ['what was not applied too', facts({}, { parts: [part({ status: 'PENDING' })] }), { to: 'FAILED' }],
        ['the run that failed too', facts({}, { hasPipeline: true, run: 'ERROR' }), { to: 'FAILED' }],
        ['a new commit begins anew', facts({ status: 'READY', begunCommit: 'a' }), { do: 'begin' }],
        [
          'and waits for the one before',
          facts({ begunCommit: 'a' }, { parts: [part({ status: 'UPDATING' })] }),
          { do: 'rest' },
        ],
        ['one that is ready rests until its end', facts({ status: 'READY' }), { do: 'rest', until: later }],
        ['and expires then', facts({ status: 'READY', expiresAt: now }), { do: 'expire' }],
        [
          'one that was reopened waits anew',
          facts({ status: 'DESTROYED', environmentId: null }),
          { do: 'move', to: 'WAITING' },
        ],
        [
          'one without an environment that is pushed to too',
          facts({ status: 'FAILED', environmentId: null, begunCommit: 'a' }),
          { to: 'WAITING' },
        ],
        ['one without its environment failed', facts({ status: 'READY', environmentId: null }), { to: 'FAILED' }],
      ],
      (_, given, expected) => expect(nextAction(given, now)).toMatchObject(expected),
    ),
  )
})

describe('when it is no longer wanted', () => {
  const down = { status: 'DESTROYING', endReason: 'CLOSED' } as const
  const referred = part({ id: 'mi_net', givenId: 'net', referredBy: ['mi_1'] })
  const asked = { ...down, askedToGo: ['mi_1'] }
  test(
    'each state has its next action',
    everyCase(
      [
        ['it is torn down', facts({ status: 'READY', endReason: 'CLOSED' }), { do: 'move', to: 'DESTROYING' }],
        [
          'one that never began is gone',
          facts({ status: 'WAITING', endReason: 'CLOSED', environmentId: null }),
          { to: 'DESTROYED' },
        ],
        ['what is under way is called off', facts(down, { parts: [part({ isBusy: true })] }), { do: 'call off' }],
        ['its pipeline too', facts(down, { run: 'IN_PROGRESS' }), { do: 'call off' }],
        ['what refers goes first', facts(down, { parts: [part(), referred] }), { do: 'destroy', ids: ['mi_1'] }],
        ['it is waited for', facts(asked, { parts: [part({ isBusy: true }), referred] }), { do: 'rest' }],
        [
          'then the others',
          facts(asked, { parts: [{ ...referred, referredBy: [] }] }),
          { do: 'destroy', ids: ['mi_net'] },
        ],
        [
          'what is still there failed',
          facts(asked, { parts: [part({ status: 'ERROR' })] }),
          { do: 'note a failed teardown' },
        ],
        ['and is tried again later', facts({ ...down, retryAt: later }), { do: 'rest', until: later }],
        ['then the environment goes', facts(down, { parts: [] }), { do: 'remove' }],
        [
          'one that is gone rests',
          facts({ status: 'DESTROYED', endReason: 'ENDED', environmentId: null }),
          { do: 'rest' },
        ],
        ['also if it is wanted again meanwhile', facts({ ...down, endReason: null }, { parts: [] }), { do: 'remove' }],
      ],
      (_, given, expected) => expect(nextAction(given, now)).toMatchObject(expected),
    ),
  )
})

const anyPart = fc.record({
  id: fc.constantFrom('mi_1', 'mi_2', 'mi_3'),
  givenId: fc.constant('web'),
  status: fc.constantFrom(...moduleInstanceStatuses.filter((status) => status !== 'DESTROYED')),
  hasStack: fc.boolean(),
  isBusy: fc.boolean(),
  referredBy: fc.constantFrom<string[]>([], ['mi_2']),
  error: fc.constantFrom(undefined, 'No.'),
})
const anyFacts = fc.record({
  preview: fc.record({
    status: fc.constantFrom(...previewStatuses),
    commit: fc.constantFrom('a', 'b'),
    begunCommit: fc.constantFrom(null, 'a', 'b'),
    endReason: fc.constantFrom(null, 'CLOSED' as const, 'EXPIRED' as const, 'ENDED' as const),
    expiresAt: fc.constantFrom(before, later),
    environmentId: fc.constantFrom(null, 'env_1'),
    askedToGo: fc.subarray(['mi_1', 'mi_2', 'mi_3']),
    failedTeardowns: fc.nat(9),
    retryAt: fc.constantFrom(null, before, later),
    updatedAt: fc.constantFrom(now, before, later),
  }),
  parts: fc.uniqueArray(anyPart, { selector: ({ id }) => id, maxLength: 3 }),
  hasRoom: fc.boolean(),
  hasPipeline: fc.boolean(),
  run: fc.constantFrom(undefined, ...pipelineRunStatuses),
})

test('the environment is deleted only when it is empty, and nothing is created in an unwanted environment', () => {
  fc.assert(
    fc.property(anyFacts, (given) => {
      const next = nextAction(given, now)
      if (next.do === 'remove') expect(given.parts).toEqual([])
      const isWanted = given.preview.endReason === null && given.preview.expiresAt > now
      if (['create', 'begin', 'start the pipeline'].includes(next.do)) expect(isWanted).toBe(true)
      if (next.do === 'create') expect(given.preview.environmentId).toBeNull()
      if (next.do === 'destroy') {
        expect(given.preview.status).toBe('DESTROYING')
        expect(given.parts.some(({ isBusy }) => isBusy)).toBe(false)
      }
    }),
  )
})

test('only a deleted environment is at rest without a timer, and every action leads to progress', () => {
  fc.assert(
    fc.property(anyFacts, (given) => {
      const next = nextAction(given, now)
      if (next.do === 'rest' && next.until === undefined) expect(given.preview).toMatchObject({ status: 'DESTROYED' })
      if (next.do === 'rest' && next.until) expect(next.until > now).toBe(true)
      if (next.do === 'move') expect(next.to).not.toBe(given.preview.status)
    }),
  )
})

test('a failed teardown is retried with increasing delays and without end', () => {
  const waits = [1, 2, 3, 4, 5, 6, 50].map((failures) => retryAfter(failures, now).getTime() - now.getTime())
  expect(waits).toEqual(waits.toSorted((one, other) => one - other))
  expect(waits[0]).toBe(60_000)
  expect(waits.at(-1)).toBe(6 * 3_600_000)
})

test(
  'an ended preview environment is reopened only by the right event',
  everyCase(
    [
      [null, 'synchronize', true],
      ['CLOSED', 'synchronize', false],
      ['CLOSED', 'opened', false],
      ['CLOSED', 'reopened', true],
      ['EXPIRED', 'synchronize', true],
      ['ENDED', 'synchronize', false],
      ['ENDED', 'reopened', true],
    ] as const,
    (endReason, action, expected) => {
      expect(isReopenedBy({ endReason }, action)).toBe(expected)
    },
  ),
)
