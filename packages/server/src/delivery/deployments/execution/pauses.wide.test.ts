import { ContinueServiceDeploymentCommand } from '@aws-sdk/client-ecs'
import type { Deployment, UserFacingError } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blueGreen, canary, linear, pausing, pausingBeforeShifts } from '../../../testing/strategies.ts'
import { trafficOf } from '../../../testing/traffic.ts'
import {
  ecsDataOf,
  eventsOf,
  pausesOf,
  startWorld,
  stepsOf,
  type TestOrganization,
  type World,
} from '../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const beforeShift = ['PRE_PRODUCTION_TRAFFIC_SHIFT']
const onePause = pausing(blueGreen, ['POST_TEST_TRAFFIC_SHIFT'])

/** Creates a deployment that has reached its first pause. */
async function paused(strategy: Record<string, unknown> = onePause) {
  const org = await world.organization()
  const service = await org.service(strategy)
  const { id } = await org.deploy(service.moduleInstanceId)
  return { org, id, hookId: await org.untilPaused(id), ...service }
}

const askToContinue = (org: TestOrganization, id: string, data: { hookId?: string } = {}) =>
  org.client.ask('POST', `/deployments/${id}/continue`, { data })

const pauseEventsOf = (deployment: Deployment) => eventsOf(deployment).filter(({ stepCode }) => stepCode === 'PAUSED')

describe.concurrent('a release with pauses', () => {
  test('pauses before each of four linear shifts, each time with a new hook', async () => {
    const { org, id, hookId } = await paused(pausingBeforeShifts(linear))
    const forecast = await org.client.ask('GET', `/deployments/${id}?include=forecast`)
    const next = { nextStepCode: 'PRODUCTION_TRAFFIC_SHIFT', fromPercent: 0 }
    expect(forecast.body).toMatchObject({ included: { forecast: { pauses: [{ hookId, ...next }] } } })

    const done = await org.continueToEnd(id)

    expect(done.status).toBe('SUCCESS')
    expect(new Set(pausesOf(done)).size).toBe(4)
    expect(pauseEventsOf(done).map(({ lifecycleStage, trafficPhase }) => [lifecycleStage, trafficPhase])).toEqual([
      ['PRE_PRODUCTION_TRAFFIC_SHIFT', 'standby'],
      ['PRE_PRODUCTION_TRAFFIC_SHIFT', 'shifting'],
      ['PRE_PRODUCTION_TRAFFIC_SHIFT', 'shifting'],
      ['PRE_PRODUCTION_TRAFFIC_SHIFT', 'shifting'],
    ])
    expect(await org.calls('ContinueServiceDeployment', { accepted: true })).toHaveLength(4)
  })

  test.each([
    ['PRE_SCALE_UP', 'standby', 'continue'],
    ['POST_SCALE_UP', 'standby', 'continue'],
    ['POST_TEST_TRAFFIC_SHIFT', 'test', 'approve_test_traffic'],
    ['PRE_PRODUCTION_TRAFFIC_SHIFT', 'standby', 'shift_traffic'],
    ['POST_PRODUCTION_TRAFFIC_SHIFT', 'production', 'finish'],
  ])('waits at %s in the phase %s, and %s is its default action', async (stage, trafficPhase, labelKind) => {
    const { org, id, hookId } = await paused(pausing(blueGreen, [stage]))
    const waiting = await org.get(id)
    const [event] = pauseEventsOf(waiting)

    expect(waiting.status).toBe('IN_PROGRESS')
    expect(event).toMatchObject({ hookId, lifecycleStage: stage, trafficPhase })
    expect(event?.message).toMatch(/^Paused at .* until .*Z, when the release is rolled back\.$/)
    const { acceptedPauseControl } = ecsDataOf(await org.continue(id))
    expect(acceptedPauseControl).toEqual({
      acceptedAt: expect.any(String),
      action: 'CONTINUE',
      hookId,
      labelKind,
      lifecycleStage: stage,
      eventStartedAt: event?.startedAt,
    })
    expect((await org.untilStatus(id, 'SUCCESS')).data).toMatchObject({ acceptedPauseControl })
  })

  test('waits at each of two stages', async () => {
    const stages = ['POST_TEST_TRAFFIC_SHIFT', 'POST_PRODUCTION_TRAFFIC_SHIFT']
    const { org, id, hookId, input } = await paused(pausing(blueGreen, stages))
    expect(await trafficOf(org.clients, input.production_listener_rule_arn)).toEqual({ [input.target_group_arn]: 100 })

    await org.continue(id, hookId)
    await org.untilPaused(id, [hookId])
    expect(await trafficOf(org.clients, input.production_listener_rule_arn)).toEqual({
      [input.alternate_target_group_arn]: 100,
    })

    const done = await org.continueToEnd(id)
    expect(done.status).toBe('SUCCESS')
    expect(pauseEventsOf(done).map(({ lifecycleStage }) => lifecycleStage)).toEqual(stages)
  })

  test('waits for both of two pauses at the same stage', async () => {
    const { org, id } = await paused(pausing(blueGreen, ['POST_SCALE_UP', 'POST_SCALE_UP']))
    const both = pausesOf(await org.until(id, 'paused twice', (seen) => pausesOf(seen).length === 2))

    await org.continue(id, both[1])
    const { data } = await org.until(id, 'continued once', (seen) => stepsOf(seen).includes('CONTINUED'))
    expect(data).toMatchObject({ serviceDeploymentState: { lifecycleStage: 'POST_SCALE_UP' } })
    await org.continue(id)
    await org.untilStatus(id, 'SUCCESS')

    const answered = await org.calls('ContinueServiceDeployment', { accepted: true })
    expect(answered.map(({ request }) => request)).toMatchObject([{ hookId: both[1] }, { hookId: both[0] }])
  })
})

describe.concurrent('continue', () => {
  test('of the pending hook continues the release, with or without `hookId`', async () => {
    const { org, id, hookId: first } = await paused(pausingBeforeShifts(canary))

    const answer = await askToContinue(org, id)
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { id, status: 'IN_PROGRESS', data: { acceptedPauseControl: { hookId: first } } } },
    })
    const second = await org.untilPaused(id, [first])
    await org.continue(id, second)
    const done = await org.untilStatus(id, 'SUCCESS')

    expect(ecsDataOf(done).acceptedPauseControl).toMatchObject({ hookId: second, labelKind: 'continue' })
    const asked = await org.calls('ContinueServiceDeployment')
    const { serviceDeploymentArn } = ecsDataOf(done)
    expect(asked.map(({ request }) => request)).toEqual([
      { serviceDeploymentArn, hookId: first, action: 'CONTINUE' },
      { serviceDeploymentArn, hookId: second, action: 'CONTINUE' },
    ])
  })

  test('of another hook is rejected with the name of the pending one', async () => {
    const { org, id, hookId } = await paused()

    const answer = await askToContinue(org, id, { hookId: 'ecs-pause-of-another' })

    expect(answer).toMatchObject({ status: 422, body: { code: 'Sluice:Deployments:HOOK_NOT_PENDING' } })
    expect((answer.body as UserFacingError).message).toContain(hookId)
    expect(await org.calls('ContinueServiceDeployment')).toEqual([])
    expect(ecsDataOf(await org.get(id)).acceptedPauseControl).toBeUndefined()
  })

  test('of a hook that was continued before returns the same response and changes nothing', async () => {
    const { org, id, hookId } = await paused(pausingBeforeShifts(canary))
    const once = await org.continue(id, hookId)
    const twice = await org.continue(id, hookId)
    await org.untilPaused(id, [hookId])
    const later = await org.continue(id, hookId)

    const { acceptedPauseControl } = ecsDataOf(once)
    expect(ecsDataOf(twice).acceptedPauseControl).toEqual(acceptedPauseControl)
    expect(ecsDataOf(later).acceptedPauseControl).toEqual(acceptedPauseControl)
    expect(await org.calls('ContinueServiceDeployment')).toHaveLength(1)
    await org.continueToEnd(id)
    expect((await askToContinue(org, id, { hookId })).status).toBe(200)
  })

  test('of a deployment that is queued or has ended is rejected', async () => {
    const { org, id, moduleInstanceId } = await paused()
    const next = await org.deploy(moduleInstanceId, 'shop/app:3')
    const notPaused = { status: 422, body: { code: 'Sluice:Deployments:NOT_PAUSED' } }

    expect(await askToContinue(org, next.id)).toMatchObject(notPaused)
    await org.cancel(next.id)
    expect(await askToContinue(org, next.id)).toMatchObject(notPaused)
    await org.continueToEnd(id)
    expect(await askToContinue(org, id)).toMatchObject(notPaused)
    expect(await askToContinue(org, id, { hookId: 'ecs-pause-of-another' })).toMatchObject(notPaused)
  })

  test('from ten users at once reaches the cloud once', async () => {
    const { org, id, hookId } = await paused()

    const answers = await Promise.all(Array.from({ length: 10 }, () => askToContinue(org, id, { hookId })))
    const done = await org.untilStatus(id, 'SUCCESS')

    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const accepted = answers.map(({ body }) => ecsDataOf((body as { data: Deployment }).data).acceptedPauseControl)
    expect(new Set(accepted.map((control) => control?.acceptedAt)).size).toBe(1)
    expect(await org.calls('ContinueServiceDeployment')).toHaveLength(1)
    expect(stepsOf(done).filter((step) => step === 'CONTINUED')).toHaveLength(1)
  })

  test('from ten users without a `hookId` reaches the cloud once', async () => {
    const { org, id } = await paused()

    const answers = await Promise.all(Array.from({ length: 10 }, () => askToContinue(org, id)))
    await org.untilStatus(id, 'SUCCESS')

    // Requests after the cloud continued are told that no pause is pending.
    const others = answers.filter(({ status }) => status !== 200)
    expect(others.length).toBeLessThan(10)
    for (const { body } of others) expect(body).toMatchObject({ code: 'Sluice:Deployments:NOT_PAUSED' })
    expect(await org.calls('ContinueServiceDeployment')).toHaveLength(1)
  })
})

describe('a pause without a decision in Sluice', () => {
  /** Timeout in minutes, far longer than a test takes, so that it ends only when the test advances the clock. */
  const timeout = 1_200
  const advance = () => world.cloud.advance(timeout * 60)

  test('is rolled back when it times out, if the strategy says so', async () => {
    const strategy = pausing(canary, beforeShift, { timeout_in_minutes: timeout, timeout_action: 'ROLLBACK' })
    const { org, id, hookId, input } = await paused(strategy)
    await org.continue(id, hookId)
    await org.untilPaused(id, [hookId])

    await advance()
    const over = await org.untilStatus(id, 'ROLLED_BACK')

    expect(over.error).toMatchObject({
      code: 'Sluice:Deployments:PAUSE_TIMED_OUT',
      message: 'No one continued the pause at PRE_PRODUCTION_TRAFFIC_SHIFT in time, so the release was rolled back.',
    })
    expect(stepsOf(over).slice(-3)).toEqual(['PAUSED', 'ROLLBACK_STARTED', 'ROLLED_BACK'])
    expect(ecsDataOf(over).serviceDeploymentState).toMatchObject({ status: 'ROLLBACK_SUCCESSFUL' })
    for (const rule of [input.production_listener_rule_arn, input.test_listener_rule_arn]) {
      expect(await trafficOf(org.clients, rule)).toEqual({ [input.target_group_arn]: 100 })
    }
  })

  test('continues when it times out, if the strategy says so', async () => {
    const strategy = pausing(blueGreen, beforeShift, { timeout_in_minutes: timeout, timeout_action: 'CONTINUE' })
    const { org, id } = await paused(strategy)
    expect(pauseEventsOf(await org.get(id))[0]?.message).toMatch(/when the release continues automatically\.$/)

    await advance()
    const done = await org.untilStatus(id, 'SUCCESS')

    const continued = eventsOf(done).find(({ stepCode }) => stepCode === 'CONTINUED')
    expect(continued?.message).toBe('Continued because the time to decide was over.')
    expect(ecsDataOf(done).acceptedPauseControl).toBeUndefined()
    expect(await org.calls('ContinueServiceDeployment')).toEqual([])
  })

  test('continues when a user continues it in the cloud', async () => {
    const { org, id, hookId } = await paused()

    await answerOutside(org, id, hookId, 'CONTINUE')
    const done = await org.untilStatus(id, 'SUCCESS')

    const continued = eventsOf(done).find(({ stepCode }) => stepCode === 'CONTINUED')
    expect(continued).toMatchObject({ hookId, message: 'Continued from outside.' })
    expect(ecsDataOf(done).acceptedPauseControl).toBeUndefined()
  })

  test('is rolled back when a user rolls it back in the cloud', async () => {
    const { org, id, hookId } = await paused()

    await answerOutside(org, id, hookId, 'ROLLBACK')
    const over = await org.untilStatus(id, 'ROLLED_BACK')

    expect(over.error?.code).toBe('Sluice:Deployments:PAUSE_REJECTED')
    expect(await askToContinue(org, id, { hookId })).toMatchObject({
      status: 422,
      body: { code: 'Sluice:Deployments:NOT_PAUSED' },
    })
  })

  async function answerOutside(org: TestOrganization, id: string, hookId: string, action: 'CONTINUE' | 'ROLLBACK') {
    const { serviceDeploymentArn } = ecsDataOf(await org.get(id))
    await org.clients.ecs.send(new ContinueServiceDeploymentCommand({ serviceDeploymentArn, hookId, action }))
  }
})
