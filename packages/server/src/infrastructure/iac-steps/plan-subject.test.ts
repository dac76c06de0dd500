import type { PlanCost } from '@sluice/contract'
import { expect, test } from 'vitest'
import { work } from '../../delivery/policies/evaluate.ts'
import { variablesOf } from '../../delivery/policies/variables.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import { planSeen } from './plan-subject.ts'

const cost: PlanCost = {
  ...{ currency: 'EUR', monthlyBefore: '12.00', monthlyAfter: '512.01', monthlyDifference: '500.01' },
  ...{ unpricedCount: 1, unpriced: [{ resourceType: 'queue', count: 1 }] },
}

function verdict(expression: string, ofPlan: { cost?: PlanCost }): string | undefined {
  const plan = planSeen({ kind: 'PLAN', summary: { changeCounts: {}, driftedCount: 0, ...ofPlan } } as IacPlanRow, [])
  const [answer] = work({ expressions: [expression], variables: variablesOf.PLANS, subjects: [{ plan }] }, 500)
  return answer && 'verdicts' in answer ? answer.verdicts[0]?.verdict : answer?.fault.message
}

test.each([
  ['plan.cost.monthlyDifference <= 500.0', 'VIOLATED'],
  ['plan.cost.monthlyAfter < 512.02 && plan.cost.monthlyBefore == 12.0', 'ALLOWED'],
  ['plan.cost.currency == "EUR" && plan.cost.unpricedCount == 1', 'ALLOWED'],
])('policies compare what a plan costs: %s', (expression, expected) => {
  expect(verdict(expression, { cost })).toBe(expected)
})

test('a policy on the cost of a plan without one fails, unless it asks for that first', () => {
  expect(verdict('plan.cost.monthlyDifference <= 500.0', {})).toBe('FAILED')
  expect(verdict('!has(plan.cost) || plan.cost.monthlyDifference <= 500.0', {})).toBe('ALLOWED')
})
