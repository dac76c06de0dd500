import { decisionKinds } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { describeDecision } from './decision-labels.ts'

test('a decision about a run names the run, one about a step names the step', () => {
  expect(describeDecision('APPROVED', undefined)).toBe('approved it')
  expect(describeDecision('APPROVED', 'apply')).toBe('approved the step apply')
})

test(
  'every decision about a step names the step',
  everyCase(decisionKinds, (kind) => expect(describeDecision(kind, 'apply')).toContain('the step apply')),
)
