import type { PipelineStepExecution } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import type { StepConfig } from './config.ts'
import { continuingStep } from './continuing-step.ts'

const config: StepConfig[] = [
  { id: 'standby', type: 'deploy', with: { until: 'paused' } },
  { id: 'ask', type: 'approval' },
  { id: 'swap', type: 'deploy-swap' },
  { id: 'other', type: 'deploy' },
]

type Statuses = Record<string, PipelineStepExecution['status']>

/** Returns the step that continues a step's deployment, for the given statuses. */
function continuing(stepId: string, statuses: Statuses): string | undefined {
  const steps = config.map(
    ({ id, type }) => ({ stepId: id, stepType: type, status: statuses[id] ?? 'QUEUED' }) as PipelineStepExecution,
  )
  const step = steps.find((one) => one.stepId === stepId)
  return step && continuingStep(step, { steps, config })?.stepId
}

test(
  'the steps that continue a paused deployment are found',
  everyCase<[string, string, Statuses, string | undefined]>(
    [
      ['a step that ends with its deployment leaves pauses to people', 'other', { other: 'IN_PROGRESS' }, undefined],
      ['what is left at standby is for the swap', 'standby', { standby: 'SUCCESS', ask: 'PENDING_APPROVAL' }, 'swap'],
      ['also before its step has noticed', 'standby', { standby: 'IN_PROGRESS' }, 'swap'],
      ['and for people, where the swap never came', 'standby', { standby: 'SUCCESS', swap: 'SKIPPED' }, undefined],
      ['a swap continues automatically', 'swap', { standby: 'SUCCESS', ask: 'SUCCESS', swap: 'IN_PROGRESS' }, 'swap'],
      ['and no longer, when it is over', 'swap', { standby: 'SUCCESS', swap: 'ERROR' }, undefined],
    ],
    (_promise, stepId, statuses, expected) => {
      expect(continuing(stepId, statuses)).toBe(expected)
    },
  ),
)
