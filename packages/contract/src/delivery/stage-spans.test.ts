import type { Decision, Deployment } from '@sluice/contract'
import { expect, test } from 'vitest'
import { spansOf } from './stage-spans.ts'

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const event = (currentStep: number, stepCode: string, second: number, hookId?: string) => ({
  currentStep,
  totalSteps: 9,
  stepCode,
  startedAt: at(second),
  ...(hookId !== undefined && { hookId }),
})
const decision = (kind: string, second: number) => ({ kind, createdAt: at(second) }) as Decision

function deployment(events: object[], more: object): Deployment {
  return { deploymentType: 'cloud:ecs', data: { type: 'cloud:ecs', strategy: 'canary', events }, ...more } as Deployment
}

const shown = (one: Deployment, decisions: Decision[], now: number) =>
  spansOf(one, decisions, Date.parse(at(now))).map(({ name, from, to, pausedMs, decisions }) => [
    name,
    ((to ?? Date.parse(at(now))) - from) / 1_000,
    pausedMs / 1_000,
    ...decisions.map(({ kind }) => kind),
  ])

test('each stage has its duration, its paused time, and the decisions made during it', () => {
  const events = [
    event(1, 'INIT', 0),
    event(4, 'SCALE_UP', 10),
    event(4, 'PAUSED', 20, 'one'),
    event(4, 'CONTINUED', 35, 'one'),
    event(5, 'PRODUCTION_TRAFFIC_SHIFT', 40),
    event(5, 'PAUSED', 45, 'two'),
  ]
  const paused = deployment(events, { status: 'IN_PROGRESS' })
  expect(shown(paused, [decision('CREATED', -5), decision('CONTINUED', 34)], 60)).toEqual([
    ['Begin', 10, 0, 'CREATED'],
    ['Scale up', 30, 15, 'CONTINUED'],
    ['Production traffic', 20, 15],
  ])
})

test('a rollback is a stage of its own that ends with the deployment', () => {
  const events = [
    event(1, 'INIT', 0),
    event(4, 'SCALE_UP', 10),
    event(4, 'ROLLBACK_STARTED', 50),
    event(4, 'ROLLED_BACK', 70),
  ]
  const over = deployment(events, { status: 'ROLLED_BACK', completedAt: at(70) })
  expect(shown(over, [decision('CANCELLED', 49), decision('ENDED', 71)], 500)).toEqual([
    ['Begin', 10, 0],
    ['Scale up', 40, 0, 'CANCELLED'],
    ['Roll back', 20, 0, 'ENDED'],
  ])
})
