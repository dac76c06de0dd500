import { stripVTControlCharacters } from 'node:util'
import type { Deployment, PipelineRun, PipelineStepExecution } from '@sluice/contract'
import { expect, test } from 'vitest'
import { formatDeploymentStages, formatRunSteps } from './track.ts'

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const plain = (lines: string[]) => lines.map(stripVTControlCharacters)

function canary(told: [step: number, code: string, second: number, hookId?: string][], more: object = {}): Deployment {
  const events = told.map(([currentStep, stepCode, second, hookId]) => ({
    currentStep,
    totalSteps: 10,
    stepCode,
    startedAt: at(second),
    ...(hookId && { hookId }),
  }))
  const serviceDeploymentState = { targetServiceRevision: { requestedProductionTrafficWeight: 10 } }
  const data = { type: 'cloud:ecs', strategy: 'canary', events, serviceDeploymentState }
  const now = { id: 'dep_1', deploymentType: 'cloud:ecs', status: 'IN_PROGRESS', startedAt: at(0), data, ...more }
  return now as unknown as Deployment
}

const begun: Parameters<typeof canary>[0] = [
  ...([
    [1, 'INIT', 0],
    [2, 'REGISTER_RELEASE', 1],
    [3, 'UPDATE_SERVICE', 3],
    [4, 'SCALE_UP', 4],
  ] as const),
  ...([
    [5, 'TEST_TRAFFIC_SHIFT', 10],
    [5, 'PAUSED', 20, 'hook'],
  ] as const),
].map((event) => [...event])

test('a deployment is drawn as its stages with times and traffic, including future ones', () => {
  expect(plain(formatDeploymentStages(canary(begun), Date.parse(at(80))))).toEqual([
    'PAUSED  canary  10 % of the traffic to the new version  1:20',
    '  ✓ Begin                  0:01',
    '  ✓ Register               0:02',
    '  ✓ Update service         0:01',
    '  ✓ Scale up               0:06',
    '  ‖ Test traffic           1:10  paused 1:00',
    '  · Production traffic',
    '  · Bake',
    '  · Clean up',
    '  · Completed',
  ])
})

test('rolling back is a stage of its own', () => {
  const told = [...begun, [5, 'ROLLBACK_STARTED', 30] as (typeof begun)[number]]
  const lines = plain(formatDeploymentStages(canary(told, { status: 'ROLLING_BACK' }), Date.parse(at(40))))
  expect(lines.at(-1)).toBe('  ● Roll back              0:10')
})

test('a run is drawn as its steps with their questions, and foreign text cannot control the terminal or break lines', () => {
  const steps = [
    { id: 'step_1', stepId: 'plan', status: 'SUCCESS', startedAt: at(0), completedAt: at(12) },
    {
      id: 'step_2',
      stepId: 'ask',
      status: 'PENDING_APPROVAL',
      statusDetail: { approval: { message: 'Go\u001b[2J\non?' } },
    },
    { id: 'step_3', stepId: 'apply', status: 'QUEUED', queueReason: 'DEPENDENCIES' },
  ] as unknown as PipelineStepExecution[]
  const run = { id: 'run_1', status: 'PENDING_APPROVAL', startedAt: at(0) } as PipelineRun
  expect(plain(formatRunSteps(run, steps, Date.parse(at(15))))).toEqual([
    'PENDING_APPROVAL  0:15',
    '  ✓ plan      0:12',
    '  ‖ ask             Go on? sluice approve step_2',
    '  · apply           dependencies',
  ])
})
