import {
  CreateClusterCommand,
  CreateServiceCommand,
  DeleteClusterCommand,
  DeleteServiceCommand,
  DeregisterTaskDefinitionCommand,
  DescribeClustersCommand,
  DescribeServicesCommand,
  DescribeTaskDefinitionCommand,
  DescribeTasksCommand,
  type HealthCheck,
  ListServiceDeploymentsCommand,
  ListServicesCommand,
  ListTagsForResourceCommand,
  ListTaskDefinitionsCommand,
  ListTasksCommand,
  RegisterTaskDefinitionCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateServiceCommand,
} from '@aws-sdk/client-ecs'
import { expect, test } from 'vitest'
import {
  createRestingService,
  deploy,
  describeService,
  listDeployments,
  onFargate,
  registerTaskDefinition,
  startCloud,
  until,
  waitForEnd,
} from '../testing/cloud.ts'

test('task definitions are numbered within their family, listed in either order, and found by every name', async () => {
  await using cloud = await startCloud()
  const arns = [await registerTaskDefinition(cloud, 'web:1'), await registerTaskDefinition(cloud, 'web:2')]
  await registerTaskDefinition(cloud, 'api:1', 'api')
  expect(arns.map((arn) => arn.split('/')[1])).toEqual(['web:1', 'web:2'])
  const list = async (input: object) =>
    (await cloud.ecs.send(new ListTaskDefinitionsCommand({ familyPrefix: 'web', ...input }))).taskDefinitionArns
  expect(await list({})).toEqual(arns)
  expect(await list({ sort: 'DESC' })).toEqual(arns.toReversed())
  const page = await cloud.ecs.send(new ListTaskDefinitionsCommand({ familyPrefix: 'web', maxResults: 1 }))
  expect(await list({ maxResults: 1, nextToken: page.nextToken })).toEqual([arns[1]])
  const image = async (taskDefinition: string | undefined) => {
    const found = await cloud.ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition }))
    return found.taskDefinition?.containerDefinitions?.[0]?.image
  }
  expect([await image('web'), await image('web:1'), await image(arns[0])]).toEqual(['web:2', 'web:1', 'web:1'])
  await cloud.ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition: 'web:2' }))
  expect(await image('web')).toBe('web:1')
  expect(await list({ status: 'INACTIVE' })).toEqual([arns[1]])
})

test('tags are returned on request', async () => {
  await using cloud = await startCloud()
  const tags = [{ key: 'deployment', value: 'dep_1' }]
  const containerDefinitions = [{ name: 'web', image: 'web:1', memory: 128 }]
  const registered = await cloud.ecs.send(
    new RegisterTaskDefinitionCommand({ family: 'web', containerDefinitions, tags }),
  )
  const resourceArn = registered.taskDefinition?.taskDefinitionArn
  const describe = (include: 'TAGS'[]) =>
    cloud.ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: resourceArn, include }))
  expect((await describe(['TAGS'])).tags).toEqual(tags)
  expect((await describe([])).tags).toBeUndefined()
  await cloud.ecs.send(new TagResourceCommand({ resourceArn, tags: [{ key: 'more', value: '1' }] }))
  await cloud.ecs.send(new UntagResourceCommand({ resourceArn, tagKeys: ['deployment'] }))
  const listed = await cloud.ecs.send(new ListTagsForResourceCommand({ resourceArn }))
  expect(listed.tags).toEqual([{ key: 'more', value: '1' }])
})

test('some changes start a deployment, and others do not', async () => {
  await using cloud = await startCloud()
  const { taskDefinition } = await createRestingService(cloud)
  const deploymentsAfter = async (input: object) => {
    await cloud.ecs.send(new UpdateServiceCommand({ cluster: 'main', service: 'web', ...input }))
    await cloud.control.advance(120)
    return (await listDeployments(cloud)).length
  }
  const configuration = { deploymentConfiguration: { maximumPercent: 150, minimumHealthyPercent: 50 } }
  const counts = [
    await deploymentsAfter({ taskDefinition }),
    await deploymentsAfter({ desiredCount: 3 }),
    await deploymentsAfter(configuration),
    await deploymentsAfter({ healthCheckGracePeriodSeconds: 5, enableExecuteCommand: true }),
    await deploymentsAfter({ forceNewDeployment: true }),
    await deploymentsAfter({ platformVersion: '1.4.0' }),
    await deploymentsAfter({ networkConfiguration: { awsvpcConfiguration: { subnets: ['subnet-1'] } } }),
    await deploymentsAfter({ taskDefinition: await registerTaskDefinition(cloud, 'web:2') }),
  ]
  expect(counts).toEqual([1, 1, 1, 1, 2, 3, 4, 5])
  const service = await describeService(cloud)
  expect(service).toMatchObject({ runningCount: 3, enableExecuteCommand: true, ...configuration })
})

test('an update replaces the whole deployment configuration', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const lifecycleHooks = [{ targetType: 'PAUSE' as const, lifecycleStages: ['POST_SCALE_UP' as const] }]
  const update = (deploymentConfiguration: object) =>
    cloud.ecs.send(new UpdateServiceCommand({ cluster: 'main', service: 'web', deploymentConfiguration }))
  await update({ strategy: 'BLUE_GREEN', bakeTimeInMinutes: 5, lifecycleHooks })
  await cloud.ecs.send(new UpdateServiceCommand({ cluster: 'main', service: 'web', desiredCount: 2 }))
  expect((await describeService(cloud)).deploymentConfiguration).toMatchObject({ lifecycleHooks })
  await update({ strategy: 'ROLLING' })
  const { deploymentConfiguration } = await describeService(cloud)
  expect(deploymentConfiguration).not.toHaveProperty('lifecycleHooks')
  expect(deploymentConfiguration).not.toHaveProperty('bakeTimeInMinutes')
})

test('a new service deployment is listed a moment after the response', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  await cloud.control.setTiming({ listLagSeconds: 5 })
  const taskDefinition = await registerTaskDefinition(cloud, 'web:2')
  await cloud.ecs.send(new UpdateServiceCommand({ cluster: 'main', service: 'web', taskDefinition }))
  expect(await listDeployments(cloud)).toHaveLength(1)
  await cloud.control.advance(6)
  const listed = await listDeployments(cloud)
  expect(listed).toHaveLength(2)
  expect((await describeService(cloud)).currentServiceDeployment).toBe(listed[0]?.serviceDeploymentArn)
})

test('service deployments are listed newest first, by status, by time, in pages', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  for (const image of ['web:2', 'web:3']) await waitForEnd(cloud, (await deploy(cloud, image)).arn)
  const list = (input: object) =>
    cloud.ecs.send(new ListServiceDeploymentsCommand({ cluster: 'main', service: 'web', ...input }))
  const all = (await list({})).serviceDeployments ?? []
  const times = all.map(({ createdAt }) => createdAt?.getTime() ?? 0)
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  expect((await list({ status: ['IN_PROGRESS'] })).serviceDeployments).toEqual([])
  expect((await list({ createdAt: { after: all[1]?.createdAt } })).serviceDeployments).toEqual(all.slice(0, 1))
  const first = await list({ maxResults: 2 })
  const second = await list({ maxResults: 2, nextToken: first.nextToken })
  expect([...(first.serviceDeployments ?? []), ...(second.serviceDeployments ?? [])]).toEqual(all)
  expect(second.nextToken).toBeUndefined()
})

test('a service is deleted when its tasks are gone, and its name can be reused', async () => {
  await using cloud = await startCloud()
  const { taskDefinition } = await createRestingService(cloud)
  const remove = (force: boolean) =>
    cloud.ecs.send(new DeleteServiceCommand({ cluster: 'main', service: 'web', force }))
  await expect(remove(false)).rejects.toMatchObject({ name: 'InvalidParameterException' })
  const removeCluster = () => cloud.ecs.send(new DeleteClusterCommand({ cluster: 'main' }))
  await expect(removeCluster()).rejects.toMatchObject({ name: 'ClusterContainsServicesException' })
  expect((await remove(true)).service?.status).toBe('DRAINING')
  const update = new UpdateServiceCommand({ cluster: 'main', service: 'web', desiredCount: 1 })
  await expect(cloud.ecs.send(update)).rejects.toMatchObject({ name: 'ServiceNotActiveException' })
  await until(
    cloud,
    () => describeService(cloud),
    ({ status }) => status === 'INACTIVE',
  )
  expect((await cloud.ecs.send(new ListServicesCommand({ cluster: 'main' }))).serviceArns).toEqual([])
  await cloud.ecs.send(
    new CreateServiceCommand({ cluster: 'main', serviceName: 'web', taskDefinition, desiredCount: 1, ...onFargate }),
  )
  await until(
    cloud,
    () => describeService(cloud),
    ({ runningCount }) => runningCount === 1,
  )
  expect(await listDeployments(cloud)).toHaveLength(1)
})

test('a cluster keeps the settings with which it was created', async () => {
  await using cloud = await startCloud()
  const settings = [{ name: 'containerInsights' as const, value: 'enabled' }]
  await cloud.ecs.send(new CreateClusterCommand({ clusterName: 'main', settings }))
  const { clusters } = await cloud.ecs.send(new DescribeClustersCommand({ clusters: ['main'], include: ['SETTINGS'] }))
  expect(clusters).toMatchObject([{ settings }])
})

test('a missing resource is reported as missing, not as an error', async () => {
  await using cloud = await startCloud()
  await cloud.ecs.send(new CreateClusterCommand({ clusterName: 'main' }))
  const { services, failures } = await cloud.ecs.send(
    new DescribeServicesCommand({ cluster: 'main', services: ['web'] }),
  )
  expect([services, failures]).toEqual([
    [],
    [{ arn: 'arn:aws:ecs:eu-west-1:000000000001:service/main/web', reason: 'MISSING' }],
  ])
  const clusters = await cloud.ecs.send(new DescribeClustersCommand({ clusters: ['main', 'none'] }))
  expect(clusters).toMatchObject({ clusters: [{ status: 'ACTIVE' }], failures: [{ reason: 'MISSING' }] })
})

test('tasks report their zone and, if the task definition has a check, their health', async () => {
  await using cloud = await startCloud()
  await cloud.ecs.send(new CreateClusterCommand({ clusterName: 'main' }))
  const define = async (family: string, healthCheck?: HealthCheck) => {
    const containerDefinitions = [{ name: 'web', image: 'web:1', memory: 128, ...(healthCheck && { healthCheck }) }]
    const { taskDefinition } = await cloud.ecs.send(
      new RegisterTaskDefinitionCommand({
        family,
        cpu: '256',
        memory: '512',
        networkMode: 'awsvpc',
        requiresCompatibilities: ['FARGATE'],
        containerDefinitions,
      }),
    )
    const subnets = ['subnet-0a1b2c3d4e5f60711', 'subnet-0a1b2c3d4e5f60712']
    await cloud.ecs.send(
      new CreateServiceCommand({
        cluster: 'main',
        serviceName: family,
        desiredCount: 4,
        launchType: 'FARGATE',
        taskDefinition: taskDefinition?.taskDefinitionArn,
        networkConfiguration: { awsvpcConfiguration: { subnets } },
      }),
    )
  }
  await define('checked', { command: ['CMD-SHELL', 'true'] })
  await define('plain')
  const tasksOf = async (serviceName: string) => {
    const { taskArns = [] } = await cloud.ecs.send(new ListTasksCommand({ cluster: 'main', serviceName }))
    if (taskArns.length === 0) return []
    return (await cloud.ecs.send(new DescribeTasksCommand({ cluster: 'main', tasks: taskArns }))).tasks ?? []
  }
  const checked = await until(
    cloud,
    () => tasksOf('checked'),
    (tasks) => tasks.length === 4 && tasks.every(({ healthStatus }) => healthStatus === 'HEALTHY'),
  )
  const zones = Map.groupBy(checked, ({ availabilityZone }) => availabilityZone)
  expect([...zones].map(([zone, tasks]) => [zone, tasks.length]).sort()).toEqual([
    ['eu-west-1a', 2],
    ['eu-west-1b', 2],
  ])
  expect(checked[0]?.containers?.[0]?.healthStatus).toBe('HEALTHY')
  expect((await tasksOf('plain')).map(({ healthStatus }) => healthStatus)).toEqual(Array(4).fill('UNKNOWN'))
})
