import type { Deployment, DeploymentStepCode, ModuleInstance } from '@sluice/contract'
import { expect, test } from 'vitest'
import { releaseProgress, serviceToRelease } from './release-progress.ts'

const nothing = {
  hasReleased: false,
  hasPaused: false,
  hasContinued: false,
  hasFailed: false,
  hasRolledBack: false,
}

const deployment = (
  status: Deployment['status'],
  triggerSource: Deployment['triggerSource'],
  ...steps: DeploymentStepCode[]
) => ({ status, triggerSource, data: { events: steps.map((stepCode) => ({ stepCode })) } }) as unknown as Deployment

test('a new organization has done nothing', () => {
  expect(releaseProgress([])).toEqual(nothing)
})

test('pauses and their continuation count after the release has ended', () => {
  const canary = deployment('SUCCESS', 'API', 'PAUSED', 'CONTINUED', 'COMPLETED')
  expect(releaseProgress([canary])).toEqual({ ...nothing, hasReleased: true, hasPaused: true, hasContinued: true })
})

test('a rollback counts when it has succeeded, and is no release', () => {
  expect(releaseProgress([deployment('IN_PROGRESS', 'ROLLBACK')])).toEqual(nothing)
  expect(releaseProgress([deployment('SUCCESS', 'ROLLBACK')])).toEqual({ ...nothing, hasRolledBack: true })
})

test('a release that the cloud rolled back counts as failed', () => {
  expect(releaseProgress([deployment('ROLLED_BACK', 'API')])).toEqual({
    ...nothing,
    hasReleased: true,
    hasFailed: true,
  })
})

test('the guide prefers the oldest service with a canary strategy', () => {
  const instance = (name: string, strategy?: unknown) => ({ name, input: { strategy } }) as unknown as ModuleInstance
  const [newest, canary, oldest] = [instance('New', 'canary'), instance('Web', { type: 'canary' }), instance('Worker')]
  expect(serviceToRelease([newest, canary, oldest])).toBe(canary)
  expect(serviceToRelease([instance('Jobs', 'linear'), oldest])).toBe(oldest)
  expect(serviceToRelease([])).toBeUndefined()
})
