import type { ProjectDocument } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { keyOf } from '../project-files/kinds.ts'
import type { Change } from '../project-files/plan.ts'
import { digestOf } from './digest.ts'
import { decide, isInside, retryAt, type WatchedState } from './machine.ts'

const changeOf = (action: Change['action'], document: ProjectDocument): Change => ({
  action,
  key: keyOf(document),
  document,
  fields: [],
  differences: [],
})
const grows = changeOf('create', { kind: 'Environment', name: 'staging' })
const goes = changeOf('remove', { kind: 'Environment', name: 'staging' })
const lapses = changeOf('remove', { kind: 'PromotionRule', from: 'staging', to: 'production' })

const initialState: WatchedState = { apply: 'ON_MERGE', status: 'PLANNING', appliedCommit: null, approvedDigest: null }
const asked: WatchedState = { ...initialState, apply: 'AFTER_APPROVAL' }
const agreed = (changes: Change[], commit = 'new') => ({ ...asked, approvedDigest: digestOf(commit, changes) ?? null })

test(
  'each difference has its decision',
  everyCase<[string, WatchedState, Change[], unknown]>(
    [
      ['nothing differs', initialState, [], { do: 'rest' }],
      ['a push is applied', initialState, [grows], { do: 'apply', changes: [grows] }],
      ['what holds state stays', initialState, [lapses, goes], { do: 'apply', changes: [lapses] }],
      ['nothing else is left', initialState, [goes], { do: 'ask' }],
      ['it is still held after the rest was applied', { ...initialState, appliedCommit: 'new' }, [goes], { do: 'ask' }],
      ['changed by hand since', { ...initialState, appliedCommit: 'new' }, [grows], { do: 'show' }],
      ['somebody is asked', asked, [grows], { do: 'ask' }],
      ['somebody agreed', agreed([grows, goes]), [grows, goes], { do: 'apply', changes: [grows, goes] }],
      ['to another plan', agreed([grows]), [grows, goes], { do: 'ask' }],
      ['to the plan of another commit', agreed([grows], 'old'), [grows], { do: 'ask' }],
      [
        'an apply that was begun goes on with what is left',
        { ...agreed([grows, goes]), status: 'APPLYING' },
        [goes],
        { do: 'apply', changes: [goes] },
      ],
    ],
    (_, given, changes, decision) => {
      const found = { commit: 'new', digest: digestOf('new', changes), changes }
      expect(decide(given, found)).toEqual(decision)
    },
  ),
)

test('the digest of a plan depends on its commit, its changes and the existing records', () => {
  const named = digestOf('new', [grows])
  expect(digestOf('new', [{ ...grows }])).toBe(named)
  expect(digestOf('old', [grows])).not.toBe(named)
  expect(digestOf('new', [{ ...grows, differences: [{ path: 'title', after: 'x' }] }])).not.toBe(named)
})

test('a file is inside a directory, and not inside one whose name is a prefix', () => {
  expect(isInside('infra/a.yaml', 'infra')).toBe(true)
  expect(isInside('infrastructure/a.yaml', 'infra')).toBe(false)
  expect(isInside('a.yaml', '')).toBe(true)
})

test('failures are retried with growing delays and a limit', () => {
  const now = new Date(0)
  const pauses = [1, 2, 3, 4].map((failures) => retryAt(failures, now)?.getTime() ?? 0)
  expect(pauses).toEqual(pauses.toSorted((one, other) => one - other))
  expect(retryAt(5, now)).toBeUndefined()
  expect(retryAt(1, now, 60_000)).toEqual(new Date(60_000))
})
