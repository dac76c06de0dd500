import { DescribeServiceDeploymentsCommand } from '@aws-sdk/client-ecs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { blueGreen, canary, pausing, pausingBeforeShifts } from '../../../testing/strategies.ts'
import { trafficOf } from '../../../testing/traffic.ts'
import { ecsDataOf, eventsOf, startWorld, stepsOf, type TestOrganization, type World } from '../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const askToCancel = (org: TestOrganization, id: string) => org.client.ask('POST', `/deployments/${id}/cancel`)
const cancelled = {
  code: 'Sluice:Deployments:CANCELLED',
  message: expect.stringMatching(/^owner@.+ cancelled the deployment.$/),
}

describe.concurrent('cancel', () => {
  test('of a queued deployment ends it at once without a call to the cloud', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_SCALE_UP']))
    const running = await org.deploy(moduleInstanceId, 'shop/app:2')
    await org.untilPaused(running.id)
    const waiting = await org.deploy(moduleInstanceId, 'shop/app:3')

    const over = await org.cancel(waiting.id)

    expect(over).toMatchObject({ status: 'CANCELLED', error: cancelled, completedAt: expect.any(String) })
    expect(stepsOf(over)).toEqual(['QUEUED', 'CANCELLED'])
    expect((await org.continueToEnd(running.id)).status).toBe('SUCCESS')
    expect(JSON.stringify(await org.calls('RegisterTaskDefinition'))).not.toContain('shop/app:3')
    expect(await org.calls('UpdateService')).toHaveLength(1)
  })

  test('before the service was changed ends the deployment at once', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    await org.fault({ kind: 'throttle', operation: 'RegisterTaskDefinition' })
    const { id } = await org.deploy(moduleInstanceId)
    await org.untilStatus(id, 'IN_PROGRESS')

    const over = await org.cancel(id)

    expect(over).toMatchObject({ status: 'CANCELLED', error: cancelled })
    expect(stepsOf(over)).toEqual(['INIT', 'CANCELLED'])
    expect(await org.calls('UpdateService')).toEqual([])
  })

  test('while the outcome of the update is unknown finds out that the cloud did not receive it', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    await org.fault({ kind: 'server-error', operation: 'UpdateService' })
    // Finding out that the cloud did not receive the update takes this long, so the cancel comes first.
    await org.fault({ kind: 'slow', operation: 'DescribeServices', delayMs: 6_000 })
    const { id } = await org.deploy(moduleInstanceId)
    await untilAsked(org, 'UpdateService')

    expect((await org.cancel(id)).status).toBe('ROLLING_BACK')
    await world.cloud.clearFaults()
    const over = await org.untilStatus(id, 'ROLLED_BACK')

    expect(over.error).toMatchObject(cancelled)
    expect(eventsOf(over).at(-1)?.message).toBe('The service had not been changed yet.')
    expect(await org.calls('UpdateService', { accepted: true })).toEqual([])
    expect(await org.calls('StopServiceDeployment')).toEqual([])
  })

  test('while the outcome of the update is unknown finds out that the cloud received it', async () => {
    const org = await world.organization()
    const { moduleInstanceId, serviceArn } = await org.service()
    // The answer is lost, and then the cloud cannot be asked about the request.
    await org.fault({ kind: 'drop-answer', operation: 'UpdateService', times: 1 })
    const { id } = await org.deploy(moduleInstanceId, 'shop/app:2-hang')
    await untilAsked(org, 'UpdateService')

    await org.cancel(id)
    const over = await org.untilStatus(id, 'ROLLED_BACK')

    expect(over.error).toMatchObject(cancelled)
    expect(await org.calls('UpdateService', { accepted: true, resource: serviceArn })).toHaveLength(1)
    expect(await org.calls('StopServiceDeployment', { accepted: true })).toHaveLength(1)
  })

  test('of an active deployment stops it and restores the previous version', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const { id } = await org.deploy(moduleInstanceId, 'shop/app:2-hang')
    await org.until(id, 'scaling up', (seen) => stepsOf(seen).includes('SCALE_UP'))

    const rolling = await org.cancel(id)
    expect(rolling).toMatchObject({ status: 'ROLLING_BACK', error: cancelled })
    expect(rolling.completedAt).toBeUndefined()
    const over = await org.untilStatus(id, 'ROLLED_BACK')

    expect(over.error).toMatchObject(cancelled)
    expect(stepsOf(over).slice(-3)).toEqual(['SCALE_UP', 'ROLLBACK_STARTED', 'ROLLED_BACK'])
    const stops = await org.calls('StopServiceDeployment')
    expect(stops.map(({ request }) => request)).toEqual([
      { serviceDeploymentArn: ecsDataOf(over).serviceDeploymentArn, stopType: 'ROLLBACK' },
    ])
  })

  test('of a deployment that is paused between traffic shifts returns all traffic', async () => {
    const org = await world.organization()
    const { moduleInstanceId, input } = await org.service(pausingBeforeShifts(canary))
    const [blue, green] = [input.target_group_arn, input.alternate_target_group_arn]
    const { id } = await org.deploy(moduleInstanceId)
    const first = await org.untilPaused(id)
    await org.continue(id)
    const second = await org.untilPaused(id, [first])
    expect(await trafficOf(org.clients, input.production_listener_rule_arn)).toEqual({ [blue]: 90, [green]: 10 })

    await org.cancel(id)
    expect(await org.client.ask('POST', `/deployments/${id}/continue`, { data: { hookId: second } })).toMatchObject({
      status: 422,
      body: { code: 'Sluice:Deployments:NOT_PAUSED' },
    })
    const over = await org.untilStatus(id, 'ROLLED_BACK')

    expect(over.error).toMatchObject(cancelled)
    expect(await trafficOf(org.clients, input.production_listener_rule_arn)).toEqual({ [blue]: 100 })
    expect(await trafficOf(org.clients, input.test_listener_rule_arn)).toEqual({ [blue]: 100 })
    expect(ecsDataOf(over).elbListenerState?.[0]?.rules.map(({ targetGroupArn }) => targetGroupArn)).toEqual([
      blue,
      blue,
    ])
    expect(await org.calls('ContinueServiceDeployment')).toHaveLength(1)
  })

  test('twice has the effect of one cancel, and is rejected after the end', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service(pausing(blueGreen, ['POST_SCALE_UP']))
    const { id } = await org.deploy(moduleInstanceId)
    await org.untilPaused(id)
    // Throttling keeps the deployment active for a while.
    await org.fault({ kind: 'throttle', operation: 'StopServiceDeployment', times: 5 })

    await org.cancel(id)
    const again = await org.cancel(id)
    expect(again.status).toBe('ROLLING_BACK')
    const over = await org.untilStatus(id, 'ROLLED_BACK')

    expect(stepsOf(over).filter((step) => step === 'ROLLBACK_STARTED')).toHaveLength(1)
    expect(await org.calls('StopServiceDeployment', { accepted: true })).toHaveLength(1)
    expect(await askToCancel(org, id)).toMatchObject({
      status: 422,
      body: { code: 'Sluice:Deployments:ALREADY_FINISHED', message: expect.stringContaining('ROLLED_BACK') },
    })
  })

  test('of a successful deployment is rejected and changes nothing', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const { id } = await org.deploy(moduleInstanceId)
    const done = await org.untilStatus(id, 'SUCCESS')

    expect(await askToCancel(org, id)).toMatchObject({
      status: 422,
      body: { code: 'Sluice:Deployments:ALREADY_FINISHED' },
    })
    expect(await org.get(id)).toEqual(done)
  })

  test('from ten users at once stops the deployment once', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service(pausing(blueGreen, ['POST_SCALE_UP']))
    const { id } = await org.deploy(moduleInstanceId)
    await org.untilPaused(id)

    const answers = await Promise.all(Array.from({ length: 10 }, () => askToCancel(org, id)))
    await org.untilStatus(id, 'ROLLED_BACK')

    // The deployment may have ended before the last request.
    const [first, ...rest] = answers.map(({ status }) => status).sort()
    expect(first).toBe(200)
    expect([200, 422]).toEqual(expect.arrayContaining(rest))
    expect(await org.calls('StopServiceDeployment', { accepted: true })).toHaveLength(1)
  })
})

describe('a late cancel', () => {
  afterAll(() => world.cloud.setTiming({ stopSeconds: 10 }))

  /** Stop time in seconds of the simulated cloud; it ends only when the test advances the clock. */
  const stopSeconds = 1e6

  /** Creates a release whose last step is to remove old tasks, which do not stop by themselves. */
  async function cleaningUp() {
    await world.cloud.setTiming({ stopSeconds })
    const org = await world.organization()
    const { moduleInstanceId, input } = await org.service(blueGreen)
    const { id } = await org.deploy(moduleInstanceId)
    const seen = await org.until(id, 'cleaning up', (deployment) => stepsOf(deployment).includes('CLEAN_UP'))
    return { org, id, input, serviceDeploymentArn: ecsDataOf(seen).serviceDeploymentArn ?? '' }
  }

  const tooLate = { status: 'ERROR', error: { code: 'Sluice:Deployments:CANCEL_TOO_LATE' } }

  test('is rejected because only the old tasks are left to remove', async () => {
    const { org, id, input } = await cleaningUp()

    await org.cancel(id)
    await untilAsked(org, 'StopServiceDeployment')
    await world.cloud.advance(stopSeconds)
    const over = await org.untilStatus(id, 'ERROR', 'ROLLED_BACK')

    expect(over).toMatchObject(tooLate)
    expect(await trafficOf(org.clients, input.production_listener_rule_arn)).toEqual({
      [input.alternate_target_group_arn]: 100,
    })
  })

  test('is rejected because the release ended before the cloud could be asked to stop it', async () => {
    const { org, id, serviceDeploymentArn } = await cleaningUp()
    await org.fault({ kind: 'throttle', operation: 'StopServiceDeployment' })

    await org.cancel(id)
    await world.cloud.advance(stopSeconds)
    const describe = new DescribeServiceDeploymentsCommand({ serviceDeploymentArns: [serviceDeploymentArn] })
    const statusInCloud = async () => (await org.clients.ecs.send(describe)).serviceDeployments?.[0]?.status
    await eventually('the cloud to be done', statusInCloud, (status) => status === 'SUCCESSFUL')
    await world.cloud.clearFaults()

    expect(await org.untilStatus(id, 'ERROR', 'ROLLED_BACK')).toMatchObject(tooLate)
  })
})

const untilAsked = (org: TestOrganization, operation: string) =>
  eventually(
    `the cloud to be asked for ${operation}`,
    () => org.calls(operation),
    ({ length }) => length > 0,
  )
