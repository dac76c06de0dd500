import { SetDesiredCapacityCommand, TerminateInstanceInAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling'
import { CancelCommandCommand } from '@aws-sdk/client-ssm'
import type { Deployment } from '@sluice/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import {
  createGroup,
  describeGroup,
  groupDataOf,
  publishedOf,
  runsOf,
  type TestGroup,
  untilReachable,
} from '../../../../testing/machine-group.ts'
import { startWorld, stepsOf, type TestOrganization, type World } from '../../../../testing/world.ts'
import { loadForWork } from '../../store/store.ts'

// The cloud's clock is so slow that only `advance` moves it. The tests therefore run one after the other.
let world: World
beforeAll(async () => {
  world = await startWorld({ speed: 0.1, timing: { commandSeconds: 60, launchSeconds: 100, agentSeconds: 30 } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

let org: TestOrganization
beforeEach(async () => {
  org = await world.organization()
})

async function groupOf(size: number, strategy?: Record<string, unknown>): Promise<TestGroup & { ids: string[] }> {
  const group = await createGroup(world, org, { size, ...(strategy && { strategy }) })
  await world.cloud.advance(200)
  return { ...group, ids: await untilReachable(org, group, size) }
}

const statusesOf = (deployment: Deployment) => groupDataOf(deployment).instances?.map(({ status }) => status) ?? []

const untilStatuses = (id: string, ...statuses: string[]) =>
  org.until(id, statuses.join(', '), (seen) => statusesOf(seen).join() === statuses.join())

/** Starts a release and waits until its first instance has begun. Advances the clock only once the command exists. */
async function begun(group: TestGroup & { ids: string[] }, image = 'shop/worker:2'): Promise<Deployment> {
  const { id } = await org.deploy(group.moduleInstanceId, image)
  const isSent = (seen: Deployment) => groupDataOf(seen).instances?.every(({ commandId }) => commandId) ?? false
  await org.until(id, 'sent', isSent)
  await world.cloud.advance(2)
  return untilStatuses(id, 'IN_PROGRESS', ...group.ids.slice(1).map(() => 'PENDING'))
}

/** Advances the cloud's clock until the release ends. */
async function finish(id: string): Promise<Deployment> {
  for (;;) {
    await world.cloud.advance(10)
    const seen = await org.get(id)
    if (!['PENDING', 'IN_PROGRESS', 'ROLLING_BACK'].includes(seen.status)) return seen
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function released(group: TestGroup, image: string): Promise<Deployment> {
  const { id } = await org.deploy(group.moduleInstanceId, image)
  const over = await finish(id)
  expect(over.status).toBe('SUCCESS')
  return over
}

const terminate = (InstanceId = '', ShouldDecrementDesiredCapacity = true) =>
  org.clients.autoScaling.send(
    new TerminateInstanceInAutoScalingGroupCommand({ InstanceId, ShouldDecrementDesiredCapacity }),
  )

describe('instances that join or leave', () => {
  test('get the release if they join during it', async () => {
    const group = await groupOf(1)
    const { id } = await begun(group)
    const wish = { AutoScalingGroupName: group.name, DesiredCapacity: 2 }
    await org.clients.autoScaling.send(new SetDesiredCapacityCommand(wish))

    const over = await finish(id)

    expect(statusesOf(over)).toEqual(['SUCCESS', 'SUCCESS'])
    expect(stepsOf(over)).toEqual(['INIT', 'UPDATE_INSTANCES', 'PUBLISH_RELEASE', 'PUBLISH_RELEASE', 'COMPLETED'])
    expect(await runsOf(world, group)).toEqual(['shop/worker:2', 'shop/worker:2'])
    expect(over.externalDeploymentId).toBe(groupDataOf(over).instances?.[0]?.commandId)
  })

  test('are neither a failure nor a delay if they leave while being changed', async () => {
    const group = await groupOf(2)
    const seen = await begun(group)
    await terminate(groupDataOf(seen).instances?.[0]?.instanceId)

    const over = await finish(seen.id)

    expect(over.status).toBe('SUCCESS')
    expect(statusesOf(over)).toEqual(['GONE', 'SUCCESS'])
  })

  test('fail the release if they never ran the command, although the command succeeded', async () => {
    const group = await groupOf(2)
    const seen = await begun(group)
    const lost = groupDataOf(seen).instances?.[1]?.instanceId ?? ''
    await world.cloud.putAgent({ instanceId: lost, status: 'ConnectionLost' })

    const over = await finish(seen.id)

    expect(over.error?.code).toBe('Sluice:Deployments:INSTANCES_FAILED')
    expect(groupDataOf(over).instances).toMatchObject([
      { status: 'SUCCESS' },
      { instanceId: lost, status: 'UNREACHABLE', statusDetails: 'DeliveryTimedOut' },
    ])
  })

  test('are waited for if they have no agent yet', async () => {
    const group = await groupOf(1)
    await world.cloud.putAgent({ instanceId: group.ids[0] ?? '', status: 'ConnectionLost' })
    const { id } = await org.deploy(group.moduleInstanceId, 'shop/worker:2')
    await org.until(id, 'prepared', (seen) => groupDataOf(seen).instances !== undefined)
    expect(await org.calls('SendCommand')).toEqual([])
    await world.cloud.putAgent({ instanceId: group.ids[0] ?? '', status: 'Online' })
    expect((await finish(id)).status).toBe('SUCCESS')
  })
})

describe('cancel', () => {
  test('before a command was sent ends the deployment at once', async () => {
    const group = await groupOf(1)
    await org.fault({ kind: 'throttle', operation: 'DescribeInstanceInformation' })
    const { id } = await org.deploy(group.moduleInstanceId, 'shop/worker:2')
    await org.until(id, 'prepared', (seen) => groupDataOf(seen).instances !== undefined)
    const over = await org.cancel(id)
    expect(over).toMatchObject({ status: 'CANCELLED', error: { code: 'Sluice:Deployments:CANCELLED' } })
    expect(await org.calls('SendCommand')).toEqual([])
  })

  test('ends the command, and rolls back the instances that had begun', async () => {
    const group = await groupOf(3)
    const first = await released(group, 'shop/worker:1')
    const { id } = await begun(group)
    await world.cloud.advance(60)
    await untilStatuses(id, 'SUCCESS', 'IN_PROGRESS', 'PENDING')

    expect((await org.cancel(id)).status).toBe('ROLLING_BACK')
    const over = await finish(id)

    expect(over).toMatchObject({ status: 'ROLLED_BACK', error: { code: 'Sluice:Deployments:CANCELLED' } })
    expect(groupDataOf(over).instances).toMatchObject([
      { status: 'SUCCESS', returned: { status: 'SUCCESS' } },
      { status: 'CANCELLED', returned: { status: 'SUCCESS' } },
      { status: 'CANCELLED' },
    ])
    expect(groupDataOf(over).instances?.[2]).not.toHaveProperty('returned')
    expect(stepsOf(over)).toEqual(['INIT', 'UPDATE_INSTANCES', 'ROLLBACK_STARTED', 'ROLLED_BACK'])
    expect(await runsOf(world, group)).toEqual(Array(3).fill('shop/worker:1'))
    expect(await org.calls('CancelCommand')).toHaveLength(1)
    expect(await publishedOf(org, group)).toMatchObject({ deploymentId: first.id })
    expect(groupDataOf(over)).not.toHaveProperty('automaticRollback')
  })

  test('of the very first release says that there is no previous release', async () => {
    const group = await groupOf(1)
    const { id } = await begun(group, 'shop/worker:1')
    await org.cancel(id)
    const over = await finish(id)
    expect(over).toMatchObject({
      status: 'ERROR',
      error: {
        code: 'Sluice:Deployments:ROLLBACK_FAILED',
        message: 'No earlier release is known to which 1 instance could be returned.',
      },
    })
  })

  test('while it is unknown whether the cloud received the command finds out that it did not', async () => {
    const group = await groupOf(1)
    await released(group, 'shop/worker:1')
    await org.fault({ kind: 'server-error', operation: 'SendCommand' })
    const { id } = await org.deploy(group.moduleInstanceId, 'shop/worker:2')
    // The answered attempt is not in flight any more, so only the row's knowledge is uncertain.
    await eventually(
      'the attempt to be answered',
      () => loadForWork(world.db, id),
      (loaded) => {
        const progress = loaded?.row.progress
        return progress?.step === 'send' && progress.attempt > 0 && progress.attemptedAt === undefined
      },
    )
    expect((await org.cancel(id)).status).toBe('ROLLING_BACK')
    // If the next attempt began meanwhile, it can be in flight for half a minute.
    const over = await org.until(id, 'ROLLED_BACK', ({ status }) => status === 'ROLLED_BACK', 45_000)
    expect(groupDataOf(over).events?.at(-1)?.message).toBe('No instance had been changed yet.')
    expect(await runsOf(world, group)).toEqual(['shop/worker:1'])
  })

  test('after the release was published publishes the previous one again', async () => {
    const group = await groupOf(1)
    const first = await released(group, 'shop/worker:1')
    const { id } = await begun(group)
    const wish = { AutoScalingGroupName: group.name, DesiredCapacity: 2 }
    await org.clients.autoScaling.send(new SetDesiredCapacityCommand(wish))
    await world.cloud.advance(60)
    await org.until(id, 'published', (seen) => stepsOf(seen).includes('PUBLISH_RELEASE'))
    expect(await publishedOf(org, group)).toMatchObject({ deploymentId: id })

    await org.cancel(id)
    const over = await finish(id)

    expect(over.status).toBe('ROLLED_BACK')
    expect(await publishedOf(org, group)).toMatchObject({ deploymentId: first.id })
  })

  test('and a rollback return to an earlier release, also while the deployment is active', async () => {
    const group = await groupOf(2)
    const first = await released(group, 'shop/worker:1')
    const second = await released(group, 'shop/worker:2')
    const back = await org.client.done<Deployment>('POST', `/deployments/${second.id}/rollback`)
    expect((await finish(back.id)).status).toBe('SUCCESS')
    expect(await runsOf(world, group)).toEqual(['shop/worker:1', 'shop/worker:1'])
    expect(back).toMatchObject({ rollbackToDeploymentId: first.id, triggerSource: 'ROLLBACK' })
    expect(await org.client.ask('POST', `/deployments/${back.id}/rollback`)).toMatchObject({
      status: 422,
      body: { code: 'Sluice:Deployments:ROLLBACK_TARGET_NEWER', metadata: { toDeploymentId: second.id } },
    })

    const { id } = await begun(group, 'shop/worker:3')
    const again = await org.client.done<Deployment>('POST', `/deployments/${id}/rollback`)
    expect((await finish(again.id)).status).toBe('SUCCESS')
    const turnedBack = await org.get(id)
    expect(turnedBack).toMatchObject({
      status: 'ROLLED_BACK',
      error: { code: 'Sluice:Deployments:ROLLED_BACK_ON_REQUEST' },
    })
    expect(await runsOf(world, group)).toEqual(['shop/worker:1', 'shop/worker:1'])
  })

  test('of the command in the cloud fails the release', async () => {
    const group = await groupOf(2)
    const { id, externalDeploymentId: CommandId } = await begun(group)
    await org.clients.ssm.send(new CancelCommandCommand({ CommandId }))
    const over = await finish(id)
    expect(over.error).toMatchObject({
      code: 'Sluice:Deployments:STOPPED_OUTSIDE',
      message: `The remote command ${CommandId} was cancelled from outside before it was done.`,
    })
    expect((await describeGroup(org, group.name)).Instances).toHaveLength(2)
  })
})
