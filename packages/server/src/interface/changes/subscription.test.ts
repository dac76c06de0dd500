import type { Change } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { messageOf, parseSubscription } from './subscription.ts'

const position = { transactionId: 7n, atMs: 1_000 }
const change = (id: string, resource: Change['resource'], belongsTo: Change['belongsTo']): Change => ({
  id,
  resource,
  belongsTo,
  changedAt: '2026-01-02T03:04:05.000Z',
})
const deployment = change('dep_1', 'deployments', { projectId: 'prj_1', moduleInstanceId: 'mi_1' })
const run = change('run_1', 'pipeline-runs', { projectId: 'prj_2' })
const changes = [deployment, run]
const notifiedOf = (subscribe: object) => {
  const wanted = parseSubscription(JSON.stringify({ subscribe }))
  return wanted && messageOf({ position, changes, isReset: false }, wanted).changes
}

test(
  'a subscription matches what it requests',
  everyCase(
    [
      ['all', {}, changes],
      ['a collection', { resources: ['deployments'] }, [deployment]],
      ['a record', { of: ['run_1'] }, [run]],
      ['what is part of a record', { of: ['prj_1'] }, [deployment]],
      ['a collection of a record', { resources: ['pipeline-runs'], of: ['prj_1'] }, undefined],
      ['nothing', { resources: [] }, undefined],
    ],
    (_, subscribe, expected) => {
      expect(notifiedOf(subscribe)).toEqual(expected)
    },
  ),
)

test('a reset is always sent, and so is a position without changes', () => {
  const wanted = { resources: new Set<string>() }
  expect(messageOf({ position, changes, isReset: true }, wanted)).toEqual({ id: '7.1000', reset: true })
  expect(messageOf({ position, changes: [], isReset: false }, {})).toEqual({ id: '7.1000' })
})

test(
  'an invalid subscription is rejected',
  everyCase(
    ['', '{', 'null', '[]', '{}', '{"subscribe":1}', '{"subscribe":{"resources":["users"]}}', '{"subscribe":{},"x":1}'],
    (text) => {
      expect(parseSubscription(text)).toBeUndefined()
    },
  ),
)
