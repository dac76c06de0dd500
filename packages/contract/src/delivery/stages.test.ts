import type { Deployment, DeploymentEvent, DeploymentStrategy, DeploymentType } from '@sluice/contract'
import { expect, test } from 'vitest'
import { stagesOf } from './stages.ts'

type ReportedStep = [step: number, code: DeploymentEvent['stepCode'], hookId?: string]

function deployment(
  type: DeploymentType,
  strategy: DeploymentStrategy,
  totalSteps: number,
  told: ReportedStep[],
  status: Deployment['status'] = 'IN_PROGRESS',
): Deployment {
  const at = '2026-01-01T00:00:00.000Z'
  const events = told.map(([currentStep, stepCode, hookId]) => ({
    currentStep,
    totalSteps,
    stepCode,
    startedAt: at,
    ...(hookId !== undefined && { hookId }),
  }))
  return { deploymentType: type, status, data: { type, strategy, events } } as unknown as Deployment
}

const seen = (one: Deployment) => stagesOf(one).map(({ code, state }) => `${code} ${state}`)

test('a deployment that has not started shows the usual steps', () => {
  expect(seen(deployment('cloud:ecs', 'rolling', 5, [], 'PENDING'))).toEqual([
    'INIT current',
    'REGISTER_RELEASE to come',
    'UPDATE_SERVICE to come',
    'SCALE_UP to come',
    'COMPLETED to come',
  ])
})

test('a canary deployment is paused after its first traffic shift', () => {
  const told: ReportedStep[] = [
    [1, 'INIT'],
    [4, 'SCALE_UP'],
    [6, 'PRODUCTION_TRAFFIC_SHIFT'],
    [6, 'PAUSED', 'hook'],
  ]
  expect(seen(deployment('cloud:ecs', 'canary', 10, told))).toEqual([
    'INIT done',
    'REGISTER_RELEASE done',
    'UPDATE_SERVICE done',
    'SCALE_UP done',
    'TEST_TRAFFIC_SHIFT done',
    'PRODUCTION_TRAFFIC_SHIFT paused',
    'BAKE to come',
    'CLEAN_UP to come',
    'COMPLETED to come',
  ])
})

test('a successful deployment has completed every step, a failed one failed at its current step', () => {
  expect(seen(deployment('cloud:lambda', 'rolling', 4, [[4, 'COMPLETED']], 'SUCCESS'))).toEqual([
    'INIT done',
    'UPDATE_CODE done',
    'PUBLISH_VERSION done',
    'COMPLETED done',
  ])
  const told: ReportedStep[] = [
    [2, 'UPDATE_CODE'],
    [2, 'FAILED'],
  ]
  expect(seen(deployment('cloud:lambda', 'rolling', 4, told, 'ERROR'))).toEqual([
    'INIT done',
    'UPDATE_CODE failed',
    'PUBLISH_VERSION to come',
    'COMPLETED to come',
  ])
})

test('the steps of a static site are named in advance', () => {
  expect(seen(deployment('cloud:static', 'rolling', 5, [[1, 'INIT']]))).toEqual([
    'INIT current',
    'PROMOTE to come',
    'INVALIDATE to come',
    'CLEAN_UP to come',
    'COMPLETED to come',
  ])
})

test('steps that are not known yet are counted', () => {
  expect(seen(deployment('cloud:lambda', 'rolling', 5, [[1, 'INIT']]))).toEqual([
    'INIT current',
    'UPDATE_CODE to come',
    'PUBLISH_VERSION to come',
    'undefined to come',
    'COMPLETED to come',
  ])
})
