import type { IacChangeReasons, IacChangeType, PlanCost, PlanReview } from '@sluice/contract'
import { expect, test } from 'vitest'
import { work } from '../../gates/policies/evaluate.ts'
import { variablesOf } from '../../gates/policies/variables.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import type { IacResourceRow } from '../iac-resources/tables.ts'
import { toPlanPolicyInput } from './plan-subject.ts'

const cost: PlanCost = {
  currency: 'EUR',
  monthlyBefore: '12.00',
  monthlyAfter: '512.01',
  monthlyDifference: '500.01',
  unpricedCount: 1,
  unpriced: [{ resourceType: 'queue', count: 1 }],
}

const nothing: PlanReview = {
  reasonCounts: {},
  warnings: [],
  warningCount: 0,
  outputChanges: [],
  outputChangeCount: 0,
  moves: [],
}

const resource = (changeType: IacChangeType, changeReasons: IacChangeReasons | null) =>
  ({
    address: 'cloud_thing.a',
    resourceType: 'cloud_thing',
    resourceName: 'a',
    provider: 'cloud',
    changeType,
    changeReasons,
    vendorData: { before: null, after: null },
  }) as IacResourceRow

function verdict(
  expression: string,
  ofPlan: { cost?: PlanCost; review?: PlanReview | null; changeCounts?: Partial<Record<IacChangeType, number>> },
  resources: IacResourceRow[] = [],
): string | undefined {
  const { review = nothing, ...summary } = ofPlan
  const row = { kind: 'PLAN', summary: { changeCounts: {}, driftedCount: 0, ...summary }, review } as IacPlanRow
  const plan = toPlanPolicyInput(row, resources)
  const [answer] = work({ expressions: [expression], variables: variablesOf.PLANS, subjects: [{ plan }] }, 500)
  return answer && 'verdicts' in answer ? answer.verdicts[0]?.verdict : answer?.fault.message
}

test.each([
  ['plan.cost.monthlyDifference <= 500.0', 'VIOLATED'],
  ['plan.cost.monthlyAfter < 512.02 && plan.cost.monthlyBefore == 12.0', 'ALLOWED'],
  ['plan.cost.currency == "EUR" && plan.cost.unpricedCount == 1', 'ALLOWED'],
])('policies compare the cost of a plan: %s', (expression, expected) => {
  expect(verdict(expression, { cost })).toBe(expected)
})

test('a policy on the cost of a plan without one fails, unless it tests for the cost first', () => {
  expect(verdict('plan.cost.monthlyDifference <= 500.0', {})).toBe('FAILED')
  expect(verdict('!has(plan.cost) || plan.cost.monthlyDifference <= 500.0', {})).toBe('ALLOWED')
})

test.each([
  ["plan.changes.all(c, c.action == 'REPLACE' && 'IMPORT' in c.reasons)", 'ALLOWED'],
  ["plan.changes.exists(c, has(c.previousAddress) && c.previousAddress == 'cloud_thing.b')", 'ALLOWED'],
  ["plan.moves.exists(m, m.address == 'cloud_thing.a' && m.previousAddress == 'cloud_thing.b')", 'ALLOWED'],
  ['plan.counts.replace == 1 && plan.counts.import == 1', 'ALLOWED'],
  ['plan.counts.import == 0', 'VIOLATED'],
])('policies distinguish the action and the reasons of a change: %s', (expression, expected) => {
  const why: IacChangeReasons = { reasons: ['IMPORT', 'MOVE'], previousAddress: 'cloud_thing.b' }
  expect(verdict(expression, { changeCounts: { REPLACE: 1 } }, [resource('REPLACE', why)])).toBe(expected)
})

test('policies read warnings and outputs, and a mere move is no change', () => {
  const review: PlanReview = {
    ...nothing,
    warnings: [{ summary: 'Check block assertion failed' }],
    warningCount: 1,
    outputChanges: [{ name: 'url', changeType: 'DELETE' }],
    outputChangeCount: 1,
  }
  const moved = resource('NO_OP', { reasons: ['MOVE'], previousAddress: 'cloud_thing.b' })
  const expression = `plan.warnings.exists(w, w.startsWith('Check')) && plan.outputs.all(o, o.action == 'DELETE')
    && size(plan.changes) == 0 && size(plan.moves) == 1`
  expect(verdict(expression, { review }, [moved])).toBe('ALLOWED')
})

test('a list that is not stored completely fails expressions that need it, and no others', () => {
  const cut: PlanReview = { ...nothing, warningCount: 60 }
  expect(verdict('size(plan.warnings) == 0', { review: cut })).toBe('FAILED')
  expect(verdict('!has(plan.warnings) || size(plan.warnings) == 0', { review: cut })).toBe('FAILED')
  expect(verdict('size(plan.outputs) == 0', { review: cut })).toBe('ALLOWED')
  expect(verdict('size(plan.moves) == 0', { review: null })).toBe('FAILED')
  const moves = Array.from({ length: 501 }, () => resource('NO_OP', { reasons: ['MOVE'], previousAddress: 'b' }))
  expect(verdict('size(plan.moves) == 0', {}, moves)).toBe('FAILED')
  expect(verdict('plan.counts.delete == 0', {}, moves)).toBe('ALLOWED')
})

test('a plan of an earlier version counts its imports as before', () => {
  expect(verdict('plan.counts.import == 1', { review: null }, [resource('IMPORT', null)])).toBe('ALLOWED')
})

test('a policy on the number of changes can evaluate plans of any size', () => {
  const resources = Array.from({ length: 501 }, () => resource('DELETE', null))
  const changeCounts = { DELETE: 501 }
  expect(verdict('plan.counts.delete == 501', { changeCounts }, resources)).toBe('ALLOWED')
  expect(verdict('plan.changes.size() == 501', { changeCounts }, resources)).toBe('FAILED')
})
