import { rough } from '@sluice/cloud-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testFunction } from '../../../../testing/functions.ts'
import { canary, pausingBeforeShifts } from '../../../../testing/strategies.ts'
import { startWorld, type World } from '../../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

/**
 * All deviations of a real cloud at once. In cloud seconds, 600 of which pass per second: changes become visible after
 * one second.
 */
const weather = { ...rough, consistencySeconds: 600 }

/** Faults of an operation: a lost response, a transient error, and an error response after the change was made. */
const trouble = (operation: string) =>
  [
    { kind: 'drop-answer', operation, times: 1 },
    { kind: 'error', code: 'ServerException', status: 500, message: 'Service Unavailable.', operation, times: 1 },
    { kind: 'slow', delayMs: 2_000, afterwards: true, operation, times: 1 },
  ] as const

describe('with lost, late and failed responses injected', () => {
  test('a canary release of a container service succeeds and sends each change once', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service(pausingBeforeShifts(canary))
    await world.cloud.advance(weather.consistencySeconds) // the service is old enough to be visible
    const registered = () => org.calls('RegisterTaskDefinition', { accepted: true })
    const before = await registered()
    await world.cloud.setWeather(weather)
    for (const fault of trouble('UpdateService')) await org.fault(fault)
    for (const fault of trouble('RegisterTaskDefinition')) await org.fault(fault)

    const { id } = await org.deploy(moduleInstanceId)
    const done = await org.continueToEnd(id)

    expect(done.error).toBeUndefined()
    expect(done).toMatchObject({ status: 'SUCCESS' })
    expect(await registered()).toHaveLength(before.length + 1)
    expect(await org.calls('UpdateService', { accepted: true })).toHaveLength(1)
  })

  test('a release of a function publishes one version', async () => {
    await world.cloud.setWeather({ consistencySeconds: 0 })
    const org = await world.organization()
    const fn = await testFunction(org, {})
    await world.cloud.advance(weather.consistencySeconds) // the function is old enough to be visible
    await world.cloud.setWeather(weather)
    for (const operation of ['UpdateFunctionCode', 'PublishVersion', 'UpdateAlias']) {
      for (const fault of trouble(operation)) await org.fault(fault)
    }

    const { id } = await fn.deploy('v2')
    const done = await org.untilStatus(id, 'SUCCESS', 'ERROR', 'CANCELLED', 'ROLLED_BACK')

    expect(done).toMatchObject({ status: 'SUCCESS', data: { version: '2' } })
  })
})
