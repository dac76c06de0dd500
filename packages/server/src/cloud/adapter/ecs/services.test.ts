import type { DeploymentConfiguration } from '@aws-sdk/client-ecs'
import { describe, expect, test } from 'vitest'
import type { EcsStrategy, ServiceRelease } from '../../facts/ecs.ts'
import { configurationOf } from './services.ts'

const release = (strategy: EcsStrategy, more: Partial<ServiceRelease> = {}): ServiceRelease => ({
  clusterArn: 'cluster',
  serviceArn: 'service',
  strategy,
  ...more,
})
const blueGreen: EcsStrategy = {
  type: 'blue_green',
  bakeTimeInMinutes: 5,
  pauseStages: [{ stage: 'POST_SCALE_UP', timeoutInMinutes: 60, timeoutAction: 'ROLLBACK' }],
}
const pause = {
  targetType: 'PAUSE',
  lifecycleStages: ['POST_SCALE_UP'],
  timeoutConfiguration: { timeoutInMinutes: 60, action: 'ROLLBACK' },
}
const hook = {
  targetType: 'AWS_LAMBDA',
  hookTargetArn: 'function',
  roleArn: 'role',
  lifecycleStages: ['PRE_SCALE_UP'],
} satisfies NonNullable<DeploymentConfiguration['lifecycleHooks']>[number]
const stored = {
  strategy: 'BLUE_GREEN',
  bakeTimeInMinutes: 30,
  minimumHealthyPercent: 50,
  maximumPercent: 150,
  deploymentCircuitBreaker: {
    enable: true,
    rollback: false,
    resetOnHealthyTask: false,
    thresholdConfiguration: { type: 'COUNT', value: 10 },
  },
  alarms: { alarmNames: ['errors'], enable: true, rollback: true },
  earlySuccessCriteria: { enable: true, healthyPercent: 80 },
  lifecycleHooks: [hook],
} satisfies DeploymentConfiguration

describe('the deployment configuration of a release', () => {
  test('preserves settings that the release does not set', () => {
    const { bakeTimeInMinutes: _, lifecycleHooks: __, strategy: ___, ...kept } = stored
    expect(configurationOf(release(blueGreen), stored)).toEqual({
      ...kept,
      strategy: 'BLUE_GREEN',
      bakeTimeInMinutes: 5,
      lifecycleHooks: [hook, pause],
    })
  })

  test('contains only the pauses of this release', () => {
    const before = configurationOf(release(blueGreen), stored)
    const { lifecycleHooks } = configurationOf(release({ ...blueGreen, pauseStages: [] }), before)
    expect(lifecycleHooks).toEqual([hook])
  })

  test('has neither hooks nor another strategy’s bake time in a rolling release', () => {
    const rolling = configurationOf(release({ type: 'rolling' }), stored)
    expect(rolling).toMatchObject({ strategy: 'ROLLING', lifecycleHooks: [], minimumHealthyPercent: 50 })
    expect(rolling.bakeTimeInMinutes).toBeUndefined()
    const again = configurationOf(release({ type: 'rolling' }), { strategy: 'ROLLING', bakeTimeInMinutes: 7 })
    expect(again.bakeTimeInMinutes).toBe(7)
  })

  test('drops the traffic percentages of another strategy', () => {
    const linear = { strategy: 'LINEAR', linearConfiguration: { stepPercent: 10 } } satisfies DeploymentConfiguration
    expect(configurationOf(release(blueGreen), linear)).not.toHaveProperty('linearConfiguration')
  })

  test('enables the circuit breaker if the service has none, and preserves an existing threshold', () => {
    const thresholdConfiguration = { type: 'COUNT', value: 10 } as const
    const off = { deploymentCircuitBreaker: { enable: false, rollback: false, thresholdConfiguration } }
    expect(configurationOf(release(blueGreen), off).deploymentCircuitBreaker).toEqual({
      enable: true,
      rollback: true,
      thresholdConfiguration,
    })
    expect(configurationOf(release(blueGreen)).deploymentCircuitBreaker).toEqual({ enable: true, rollback: true })
  })

  test('uses the alarms of the release, or else those of the service', () => {
    const alarms = ['latency']
    expect(configurationOf(release(blueGreen, { alarms }), stored).alarms).toEqual({
      alarmNames: alarms,
      enable: true,
      rollback: true,
    })
    expect(configurationOf(release(blueGreen), stored).alarms).toEqual(stored.alarms)
  })
})
