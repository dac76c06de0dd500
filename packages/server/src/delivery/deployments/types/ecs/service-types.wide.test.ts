import { CreateServiceCommand, RegisterTaskDefinitionCommand } from '@aws-sdk/client-ecs'
import { beforeAll, expect, test } from 'vitest'
import { blueGreen } from '../../../../testing/strategies.ts'
import { eventsOf, sharedWorld, stepsOf, type TestOrganization, type World } from '../../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

/** Creates a service with the properties of `more`, and an instance that releases to it. */
async function serviceLike(org: TestOrganization, strategy: Record<string, unknown> | null, more: object) {
  const { input } = await org.service()
  const create = new CreateServiceCommand({
    cluster: input.cluster_arn,
    serviceName: `${input.family}-other`,
    taskDefinition: input.family,
    desiredCount: 1,
    launchType: 'FARGATE',
    networkConfiguration: { awsvpcConfiguration: { subnets: ['subnet-1'] } },
    ...more,
  })
  const { service } = await org.clients.ecs.send(create)
  const change = { service_arn: service?.serviceArn ?? '', strategy }
  const { moduleInstanceId } = await org.service(null, { change })
  return moduleInstanceId
}

test.for(['CODE_DEPLOY', 'EXTERNAL'] as const)(
  'a service with the deployment controller %s is rejected before anything is registered',
  async (type) => {
    const org = await world.organization()
    const { input } = await org.service()
    const behind = { targetGroupArn: input.target_group_arn, containerName: 'app', containerPort: 8080 }
    const more = { deploymentController: { type }, loadBalancers: [behind] }
    const moduleInstanceId = await serviceLike(org, null, more)
    const registered = (await org.calls('RegisterTaskDefinition')).length

    const done = await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'ERROR')

    expect(done.error).toMatchObject({
      code: 'Sluice:Deployments:SERVICE_NOT_SUPPORTED',
      message: `Cannot release to the service: its deployment controller is ${type}.`,
      description: `Release it with ${type}, or change its deploymentController to ECS. The service was not changed.`,
      metadata: { path: 'deploymentController' },
    })
    expect(await org.calls('RegisterTaskDefinition')).toHaveLength(registered)
    expect(await org.calls('UpdateService')).toEqual([])
  },
)

/** Creates a daemon service in a cluster without container instances. */
async function daemonOf(org: TestOrganization, strategy: Record<string, unknown> | null) {
  const registration = new RegisterTaskDefinitionCommand({
    family: 'agent',
    networkMode: 'awsvpc',
    containerDefinitions: [{ name: 'app', image: 'shop/agent:1', memory: 64 }],
  })
  await org.clients.ecs.send(registration)
  const daemon = { schedulingStrategy: 'DAEMON', desiredCount: undefined, launchType: 'EC2' }
  return serviceLike(org, strategy, { taskDefinition: 'agent', ...daemon })
}

test('a daemon service is released with the rolling strategy', async () => {
  const org = await world.organization()
  const moduleInstanceId = await daemonOf(org, null)

  const done = await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'SUCCESS', 'ERROR')

  expect(done.error).toBeUndefined()
  expect(eventsOf(done).at(-1)?.message).toMatch(/no task of the new version ran, and nothing was verified/)
})

test('a daemon service rejects a second set of tasks', async () => {
  const org = await world.organization()
  const moduleInstanceId = await daemonOf(org, blueGreen)

  const done = await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'ERROR')

  expect(done.error).toMatchObject({
    code: 'Sluice:Deployments:SERVICE_NOT_SUPPORTED',
    message: expect.stringContaining(
      'it is a daemon, of which no second set of tasks can run for a blue_green release',
    ),
    metadata: { path: 'deploy.strategy.type' },
  })
  expect(stepsOf(done)).not.toContain('REGISTER_RELEASE')
})

test('a target group that the service does not have is reported before anything is registered', async () => {
  const org = await world.organization()
  const { input } = await org.service()
  const { moduleInstanceId } = await org.service(blueGreen, { change: { target_group_arn: input.target_group_arn } })

  const done = await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'ERROR')

  expect(done.error).toMatchObject({
    code: 'Sluice:Deployments:SERVICE_NOT_SUPPORTED',
    message: `Cannot release to the service: it has no target group ${input.target_group_arn}.`,
    metadata: { path: 'deploy.infrastructure.ecs_target_group_arn' },
  })
  expect(stepsOf(done)).not.toContain('REGISTER_RELEASE')
})
