import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import type { Deployment } from '../delivery/deployment.ts'
import {
  isDeploymentOver,
  isRunOver,
  isStepOver,
  pendingPause,
  unfinishedDeploymentStatuses,
  unfinishedRunStatuses,
  unfinishedStepStatuses,
} from './states.ts'

test('a status is either final or unfinished', () => {
  expect(unfinishedDeploymentStatuses).toEqual(['PENDING', 'IN_PROGRESS', 'ROLLING_BACK'])
  expect(unfinishedRunStatuses).toEqual(['QUEUED', 'IN_PROGRESS', 'PENDING_APPROVAL'])
  expect(unfinishedStepStatuses).toEqual(['QUEUED', 'IN_PROGRESS', 'PENDING_APPROVAL'])
  expect([isDeploymentOver('ROLLED_BACK'), isRunOver('CANCELLED'), isStepOver('SKIPPED')]).toEqual([true, true, true])
})

const at = '2026-11-23T04:00:00Z'
const event = (stepCode: 'PAUSED' | 'CONTINUED' | 'BAKE', hookId?: string) => ({
  currentStep: 1,
  totalSteps: 2,
  startedAt: at,
  stepCode,
  ...(hookId !== undefined && { hookId }),
})

const released = (
  events: ReturnType<typeof event>[],
  rest: { accepted?: string; status?: Deployment['status'] } = {},
): Pick<Deployment, 'status' | 'data'> => ({
  status: rest.status ?? 'IN_PROGRESS',
  data: {
    type: 'cloud:ecs',
    clusterArn: 'arn',
    serviceArn: 'arn',
    events,
    ...(rest.accepted !== undefined && {
      acceptedPauseControl: { acceptedAt: at, action: 'CONTINUE', hookId: rest.accepted },
    }),
  },
})

test(
  'a deployment waits for a decision',
  everyCase(
    [
      ['no event with a hook has occurred', released([event('BAKE')]), undefined],
      ['the last event with a hook is a pause', released([event('PAUSED', 'a'), event('BAKE')]), 'a'],
      ['the pause has ended', released([event('PAUSED', 'a'), event('CONTINUED', 'a')]), undefined],
      [
        'a decision was made, and the deployment has not continued yet',
        released([event('PAUSED', 'a')], { accepted: 'a' }),
        undefined,
      ],
      ['another pause followed the decision', released([event('PAUSED', 'b')], { accepted: 'a' }), 'b'],
      ['the deployment has finished', released([event('PAUSED', 'a')], { status: 'CANCELLED' }), undefined],
    ],
    (_, deployment, hookId) => {
      expect(pendingPause(deployment)?.hookId).toBe(hookId)
    },
  ),
)
