import {
  CreateClusterCommand,
  CreateServiceCommand,
  type CreateServiceCommandInput,
  RegisterTaskDefinitionCommand,
  UpdateServiceCommand,
} from '@aws-sdk/client-ecs'
import { CreateTargetGroupCommand } from '@aws-sdk/client-elastic-load-balancing-v2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import {
  createLoadBalancer,
  fargateSize,
  listDeployments,
  onFargate,
  registerTaskDefinition,
  startCloud,
  type TestCloud,
} from '../testing/cloud.ts'

let cloud: TestCloud
let balanced: Pick<CreateServiceCommandInput, 'loadBalancers'>
let ofInstances: string

beforeAll(async () => {
  cloud = await startCloud()
  await cloud.ecs.send(new CreateClusterCommand({ clusterName: 'main' }))
  await registerTaskDefinition(cloud, 'web:1')
  const containerDefinitions = [{ name: 'web', image: 'web:1', memory: 128 }]
  await cloud.ecs.send(new RegisterTaskDefinitionCommand({ family: 'bridged', containerDefinitions }))
  await cloud.ecs.send(new RegisterTaskDefinitionCommand({ family: 'roleless', containerDefinitions, ...fargateSize }))
  const stored = { containerDefinitions, volumes: [{ name: 'data', configuredAtLaunch: true }], ...fargateSize }
  await cloud.ecs.send(new RegisterTaskDefinitionCommand({ family: 'stored', ...stored }))
  const { advancedConfiguration: _, ...loadBalancer } = await createLoadBalancer(cloud)
  balanced = { loadBalancers: [loadBalancer] }
  const group = new CreateTargetGroupCommand({ Name: 'instances', Port: 80, Protocol: 'HTTP', VpcId: 'vpc-1' })
  ofInstances = (await cloud.elb.send(group)).TargetGroups?.[0]?.TargetGroupArn ?? ''
})
afterAll(() => cloud[Symbol.asyncDispose]())

type Changes = Partial<CreateServiceCommandInput>

const create = (changes: Changes) =>
  cloud.ecs.send(
    new CreateServiceCommand({
      cluster: 'main',
      serviceName: 'web',
      taskDefinition: 'web',
      desiredCount: 1,
      ...onFargate,
      ...changes,
    }),
  )

const network = (more: object) => ({
  networkConfiguration: { awsvpcConfiguration: { subnets: ['subnet-1'], ...more } },
})
const capacity = (...capacityProviderStrategy: NonNullable<Changes['capacityProviderStrategy']>): Changes => ({
  launchType: undefined,
  capacityProviderStrategy,
})
const behind = (more: object): Changes => ({ loadBalancers: [{ ...balanced.loadBalancers?.[0], ...more }] })
const volume = { name: 'data', managedEBSVolume: { roleArn: 'arn:aws:iam::000000000001:role/volumes', sizeInGiB: 10 } }
const bridged: Changes = { taskDefinition: 'bridged', launchType: 'EC2', networkConfiguration: undefined }
const daemon: Changes = { ...bridged, schedulingStrategy: 'DAEMON', desiredCount: undefined }

test(
  'an invalid service is rejected',
  everyCase<[string, () => Changes, RegExp]>(
    [
      ['more tasks than a service may have', () => ({ desiredCount: 5001 }), /between 0 and 5000/],
      [
        'a minimum above the maximum',
        () => ({ deploymentConfiguration: { minimumHealthyPercent: 150, maximumPercent: 120 } }),
        /must not be more than maximumPercent/,
      ],
      [
        'an alarm that there is not',
        () => ({ deploymentConfiguration: { alarms: { alarmNames: ['none'], enable: true, rollback: true } } }),
        /alarms do not exist: none/,
      ],
      ['a tag key in two spellings', () => ({ tags: [{ key: 'Team' }, { key: 'team' }] }), /Duplicate tag keys found/],
      [
        'Fargate without a network',
        () => ({ networkConfiguration: undefined }),
        /Network Configuration must be provided/,
      ],
      ['a network on a bridge', () => ({ ...bridged, ...network({}) }), /Network Configuration is not valid/],
      ['a network without subnets', () => network({ subnets: [] }), /subnets can not be empty/],
      ['more than sixteen subnets', () => network({ subnets: Array(17).fill('subnet-1') }), /at most 16/],
      ['more than five security groups', () => network({ securityGroups: Array(6).fill('sg-1') }), /at most 5/],
      ['a subnet that is none', () => network({ subnets: ['vpc-1'] }), /subnet ID 'vpc-1' does not exist/],
      [
        'a public address of instances',
        () => ({ launchType: 'EC2', ...network({ assignPublicIp: 'ENABLED' }) }),
        /Assign public IP/,
      ],
      [
        'a task definition that Fargate does not run',
        () => ({ taskDefinition: 'bridged' }),
        /does not support launch_type FARGATE/,
      ],
      [
        'a launch type and a provider',
        () => ({ ...capacity({ capacityProvider: 'FARGATE', weight: 1 }), launchType: 'FARGATE' }),
        /Specifying both/,
      ],
      [
        'an unknown provider',
        () => capacity({ capacityProvider: 'mine', weight: 1 }),
        /capacity provider 'mine' was not found/,
      ],
      ['providers without weight', () => capacity({ capacityProvider: 'FARGATE' }), /weight greater than 0/],
      [
        'two bases',
        () =>
          capacity(
            { capacityProvider: 'FARGATE', weight: 1, base: 1 },
            { capacityProvider: 'FARGATE_SPOT', weight: 1, base: 1 },
          ),
        /Only one capacity provider/,
      ],
      [
        'rules of placement on Fargate',
        () => ({ placementStrategy: [{ type: 'spread', field: 'host' }] }),
        /Placement strategies/,
      ],
      [
        'a platform of instances',
        () => ({ launchType: 'EC2', platformVersion: '1.4.0' }),
        /platform version must be null/,
      ],
      ['time for checks that nobody makes', () => ({ healthCheckGracePeriodSeconds: 10 }), /Health check grace period/],
      [
        'commands without a role',
        () => ({ enableExecuteCommand: true, taskDefinition: 'roleless' }),
        /valid taskRoleArn is not being used/,
      ],
      [
        'targets by instance for addresses',
        () => behind({ targetGroupArn: ofInstances }),
        /target type instance, which is incompatible with the awsvpc/,
      ],
      [
        'targets by address for instances',
        () => ({ ...bridged, ...behind({ containerPort: undefined }) }),
        /target type ip, which is incompatible with the bridge/,
      ],
      [
        'a port that the container has not',
        () => behind({ containerPort: 81 }),
        /did not have a container port 81 defined/,
      ],
      ['a container that is not there', () => behind({ containerName: 'db' }), /container db does not exist/],
      [
        'a volume that is configured at launch without its configuration',
        () => ({ taskDefinition: 'stored' }),
        /^Task definition has configuredAtLaunch volume but no volume configuration provided at runtime/,
      ],
      [
        'the configuration of a volume that there is not',
        () => ({ volumeConfigurations: [volume] }),
        /^Volume configuration provided but no matching configuredAtLaunch volume found in task definition/,
      ],
      [
        'a number of daemons',
        () => ({ ...daemon, desiredCount: 0 }),
        /^The daemon scheduling strategy does not support a desired count for services/,
      ],
      ['daemons on Fargate', () => ({ ...daemon, ...onFargate, taskDefinition: 'web' }), /FARGATE launch type/],
      [
        'a second daemon on an instance',
        () => ({ ...daemon, deploymentConfiguration: { maximumPercent: 200 } }),
        /does not support values above 100 for maximumPercent/,
      ],
      [
        'daemons blue and green',
        () => ({ ...daemon, deploymentConfiguration: { strategy: 'BLUE_GREEN', bakeTimeInMinutes: 0 } }),
        /BLUE_GREEN deployment strategy/,
      ],
      [
        'daemons that another controller deploys',
        () => ({ ...daemon, deploymentController: { type: 'EXTERNAL' } }),
        /EXTERNAL deployment controller/,
      ],
      [
        'CodeDeploy without a load balancer',
        () => ({ deploymentController: { type: 'CODE_DEPLOY' } }),
        /requires an Application Load Balancer/,
      ],
      ['a tag of the cloud', () => ({ tags: [{ key: 'aws:x', value: '1' }] }), /aws: prefixed/],
      ['a long token', () => ({ clientToken: 'x'.repeat(37) }), /clientToken/],
    ],
    async (_, changes, message) => {
      await expect(create({ serviceName: 'refused', ...changes() })).rejects.toMatchObject({
        name: 'InvalidParameterException',
        message: expect.stringMatching(message),
      })
    },
  ),
)

test('a repeated request creates no second service, and a different one is rejected', async () => {
  const first = await create({ clientToken: 'once', ...balanced })
  const again = await create({ clientToken: 'once', ...balanced })
  expect(again.service?.serviceArn).toBe(first.service?.serviceArn)
  await cloud.control.advance(60)
  expect(await listDeployments(cloud)).toHaveLength(1)
  await expect(create({ clientToken: 'once', desiredCount: 2 })).rejects.toMatchObject({
    message: 'Creation of service was not idempotent.',
  })
})

test('a service switches to capacity providers by a deployment and then has no launch type', async () => {
  await create({ serviceName: 'spot' })
  const strategy = [{ capacityProvider: 'FARGATE_SPOT', weight: 1, base: 0 }]
  const update = (more: object) =>
    cloud.ecs.send(
      new UpdateServiceCommand({ cluster: 'main', service: 'spot', capacityProviderStrategy: strategy, ...more }),
    )
  await expect(update({})).rejects.toMatchObject({
    message: expect.stringContaining('you must force a new deployment'),
  })
  const { service } = await update({ forceNewDeployment: true })
  expect(service).toMatchObject({ capacityProviderStrategy: strategy })
  expect(service?.launchType).toBeUndefined()
})

test('a service without a launch type runs on instances', async () => {
  const { service } = await create({ ...bridged, serviceName: 'old', launchType: undefined })
  expect(service?.launchType).toBe('EC2')
})

test('a volume is configured with the service and kept by its next deployment', async () => {
  await create({ serviceName: 'stored', taskDefinition: 'stored', volumeConfigurations: [volume] })
  const again = { cluster: 'main', service: 'stored', taskDefinition: 'stored', forceNewDeployment: true }
  const { service } = await cloud.ecs.send(new UpdateServiceCommand(again))
  expect(service?.deployments?.[0]?.volumeConfigurations).toMatchObject([{ name: 'data' }])
})

test('daemons run one task per instance, of which there are none', async () => {
  const { service } = await create({ ...daemon, serviceName: 'agent' })
  expect(service).toMatchObject({
    schedulingStrategy: 'DAEMON',
    desiredCount: 0,
    deploymentConfiguration: { minimumHealthyPercent: 0, maximumPercent: 100 },
  })
})

test.for([
  ['CODE_DEPLOY', 'Use AWS CodeDeploy to trigger a new deployment.'],
  ['EXTERNAL', 'Create a new task set.'],
] as const)(
  'a service of the controller %s has no deployments and accepts no task definition',
  async ([type, instead]) => {
    const serviceName = type.toLowerCase()
    const { service } = await create({ serviceName, deploymentController: { type }, ...balanced })
    expect(service).toMatchObject({
      status: 'ACTIVE',
      deploymentController: { type },
      deployments: [],
      runningCount: 0,
    })
    const update = (more: object) =>
      cloud.ecs.send(new UpdateServiceCommand({ cluster: 'main', service: serviceName, ...more }))

    await expect(update({ taskDefinition: 'web' })).rejects.toMatchObject({
      name: 'InvalidParameterException',
      message: `Unable to update task definition on services with a ${type} deployment controller. ${instead}`,
    })
    expect((await update({ desiredCount: 3 })).service?.desiredCount).toBe(3)
    const taken = await update({ deploymentController: { type: 'ECS' }, taskDefinition: 'web' })
    expect(taken.service?.deployments).toMatchObject([{ status: 'PRIMARY' }])
  },
)
