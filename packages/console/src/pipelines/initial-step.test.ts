import type { PipelineStepExecution } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { initialStep } from './initial-step.ts'
import { describeQueueReason } from './queue-reason.ts'

const step = (stepId: string, status: PipelineStepExecution['status'], more: Partial<PipelineStepExecution> = {}) =>
  ({
    stepId,
    stepName: `Step ${stepId}`,
    status,
    queueReason: 'READY',
    queueMetadata: {},
    ...more,
  }) as PipelineStepExecution

test(
  'a run opens at the step that needs attention',
  everyCase(
    [
      [
        'a step that waits for a person',
        [step('a', 'ERROR'), step('b', 'IN_PROGRESS'), step('c', 'PENDING_APPROVAL')],
        'c',
      ],
      ['else a failed step', [step('a', 'SUCCESS'), step('b', 'IN_PROGRESS'), step('c', 'ERROR')], 'c'],
      ['else a step in progress', [step('a', 'SUCCESS'), step('b', 'QUEUED'), step('c', 'IN_PROGRESS')], 'c'],
      ['else the next step', [step('a', 'SUCCESS'), step('b', 'QUEUED'), step('c', 'QUEUED')], 'b'],
      ['else the last step', [step('a', 'SUCCESS'), step('b', 'SKIPPED')], 'b'],
    ],
    (_what, steps, expected) => {
      expect(initialStep(steps)?.stepId).toBe(expected)
    },
  ),
)

test('a step with dependencies names those that are not done', () => {
  const steps = [step('a', 'SUCCESS'), step('b', 'IN_PROGRESS'), step('c', 'QUEUED')]
  const waiting = step('d', 'QUEUED', { queueReason: 'DEPENDENCIES', queueMetadata: { needs: ['a', 'b', 'c'] } })
  expect(describeQueueReason(waiting, steps)).toBe('Waiting for Step b and Step c.')
})

test('a step of a queued run names the concurrency group', () => {
  const held = step('a', 'QUEUED', { queueReason: 'CONCURRENCY', queueMetadata: { group: 'release-shop' } })
  expect(describeQueueReason(held, [])).toBe('Another run of the group release-shop is in progress. This run is next.')
})
