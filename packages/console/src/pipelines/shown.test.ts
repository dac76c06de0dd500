import type { PipelineStepExecution } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { whyQueued } from './queue-reason.ts'
import { stepToShow } from './shown.ts'

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
      ['what waits for a person', [step('a', 'ERROR'), step('b', 'IN_PROGRESS'), step('c', 'PENDING_APPROVAL')], 'c'],
      ['else what failed', [step('a', 'SUCCESS'), step('b', 'IN_PROGRESS'), step('c', 'ERROR')], 'c'],
      ['else what is under way', [step('a', 'SUCCESS'), step('b', 'QUEUED'), step('c', 'IN_PROGRESS')], 'c'],
      ['else what comes next', [step('a', 'SUCCESS'), step('b', 'QUEUED'), step('c', 'QUEUED')], 'b'],
      ['else the last', [step('a', 'SUCCESS'), step('b', 'SKIPPED')], 'b'],
    ],
    (_what, steps, expected) => {
      expect(stepToShow(steps)?.stepId).toBe(expected)
    },
  ),
)

test('a step that waits for others names those that are not done', () => {
  const steps = [step('a', 'SUCCESS'), step('b', 'IN_PROGRESS'), step('c', 'QUEUED')]
  const waiting = step('d', 'QUEUED', { queueReason: 'DEPENDENCIES', queueMetadata: { needs: ['a', 'b', 'c'] } })
  expect(whyQueued(waiting, steps)).toBe('Waiting for Step b and Step c.')
})

test('a step whose run waits its turn names the group', () => {
  const held = step('a', 'QUEUED', { queueReason: 'CONCURRENCY', queueMetadata: { group: 'release-shop' } })
  expect(whyQueued(held, [])).toBe('Another run of the group release-shop is in progress. This run is next.')
})
