import { beforeAll, describe, expect, test } from 'vitest'
import { moduleVersions } from '../../../modules/module-definitions/tables.ts'
import { eq } from '../../../platform/db/drizzle.ts'
import { blueGreen, pausing } from '../../../testing/strategies.ts'
import { ecsDataOf, eventsOf, sharedWorld, stepsOf, type World } from '../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

/** Creates a service with two successful releases. */
async function released(strategy: Record<string, unknown> | null = null) {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service(strategy)
  const first = await org.untilStatus((await org.deploy(moduleInstanceId, 'shop/app:2')).id, 'SUCCESS')
  const second = await org.untilStatus((await org.deploy(moduleInstanceId, 'shop/app:3')).id, 'SUCCESS')
  return { org, moduleInstanceId, first, second }
}

const askToRedeploy = (org: Awaited<ReturnType<World['organization']>>, id: string) =>
  org.client.ask('POST', `/deployments/${id}/redeploy`)

describe.concurrent('a redeployment', () => {
  test.each([
    ['rolling', null],
    ['blue/green', blueGreen],
  ])('%s: releases exactly the task definition of its source again', async (_name, strategy) => {
    const { org, moduleInstanceId, first, second } = await released(strategy)
    const { deployedTaskDefinition } = ecsDataOf(first)

    const accepted = await org.redeploy(first.id)
    expect(accepted).toMatchObject({
      status: 'PENDING',
      triggerSource: 'REDEPLOY',
      redeployOfDeploymentId: first.id,
      moduleInstanceId,
      description: first.description,
    })
    const done = await org.untilStatus(accepted.id, 'SUCCESS')

    expect(ecsDataOf(done)).toMatchObject({
      deployedTaskDefinition,
      previousTaskDefinition: ecsDataOf(second).deployedTaskDefinition,
      ecsModuleDeploymentId: accepted.id,
    })
    const updates = await org.calls('UpdateService', { accepted: true })
    expect(updates.at(-1)?.request).toMatchObject({ taskDefinition: deployedTaskDefinition?.arn })
    expect(await org.calls('RegisterTaskDefinition')).toHaveLength(3)
  })

  test('of the running release restarts it', async () => {
    const { org, second } = await released()

    const { id } = await org.redeploy(second.id)
    const done = await org.untilStatus(id, 'SUCCESS')

    expect(done.externalDeploymentId).toMatch(/^ecs-svc\/\d+$/)
    expect(done.externalDeploymentId).not.toBe(second.externalDeploymentId)
    expect(eventsOf(done).at(-1)?.message).toBe(
      'This version was live already: its tasks were replaced, and no traffic was shifted to another version.',
    )
    const updates = await org.calls('UpdateService', { accepted: true })
    expect(updates).toHaveLength(3)
    expect(updates.at(-1)?.request).toMatchObject({ forceNewDeployment: true })
  })

  test('renders nothing again: the current module version does not matter', async () => {
    const { org, first } = await released()
    await world.db.update(moduleVersions).set({ config: {} }).where(eq(moduleVersions.organizationId, org.id))

    const { id } = await org.redeploy(first.id)

    const done = await org.untilStatus(id, 'SUCCESS')
    expect(ecsDataOf(done).deployedTaskDefinition).toEqual(ecsDataOf(first).deployedTaskDefinition)
  })

  test('of a redeployment names that redeployment as its source', async () => {
    const { org, first } = await released()
    const once = await org.redeploy(first.id)
    await org.untilStatus(once.id, 'SUCCESS')

    const twice = await org.redeploy(once.id)

    expect(twice.redeployOfDeploymentId).toBe(once.id)
    await org.untilStatus(twice.id, 'SUCCESS')
  })

  test('of a release in progress is rejected', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_SCALE_UP']))
    const running = await org.deploy(moduleInstanceId)
    await org.untilPaused(running.id)
    const waiting = await org.deploy(moduleInstanceId)

    for (const { id } of [running, waiting]) {
      expect(await askToRedeploy(org, id)).toMatchObject({
        status: 422,
        body: { code: 'Sluice:Deployments:NO_STORED_RELEASE' },
      })
    }
  })

  test('of a release that was rolled back completes that release', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service(pausing(blueGreen, ['POST_SCALE_UP']))
    const source = await org.deploy(moduleInstanceId)
    await org.untilPaused(source.id)
    await org.cancel(source.id)
    const { data } = await org.untilStatus(source.id, 'ROLLED_BACK')

    const { id } = await org.redeploy(source.id)
    const done = await org.continueToEnd(id)

    expect(done.status).toBe('SUCCESS')
    expect(done.data).toMatchObject({
      deployedTaskDefinition: (data as { deployedTaskDefinition: object }).deployedTaskDefinition,
    })
    expect(stepsOf(done)).toContain('PAUSED') // it pauses at the same stages as its source
  })

  test('of a release that failed before its task definition was registered registers it', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    await org.deny('ecs:RegisterTaskDefinition')
    const source = await org.deploy(moduleInstanceId, 'shop/app:2')
    await org.untilStatus(source.id, 'ERROR')
    await org.deny()

    const { id } = await org.redeploy(source.id)

    const done = await org.untilStatus(id, 'SUCCESS')
    expect(ecsDataOf(done).deployedTaskDefinition?.definition).toMatchObject({
      containerDefinitions: [{ image: 'shop/app:2' }],
    })
  })

  test('of a release that failed because of its image fails again', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const source = await org.deploy(moduleInstanceId, 'shop/app:2-missing')
    await org.untilStatus(source.id, 'ROLLED_BACK')

    const { id } = await org.redeploy(source.id)

    expect((await org.untilStatus(id, 'ROLLED_BACK')).error?.code).toBe('Sluice:Deployments:TASKS_UNHEALTHY')
  })
})
