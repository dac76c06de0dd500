import {
  ContinueServiceDeploymentCommand,
  CreateServiceCommand,
  type DeploymentConfiguration,
  DescribeServiceDeploymentsCommand,
  DescribeServicesCommand,
  DescribeTaskDefinitionCommand,
  type LoadBalancer,
  RegisterTaskDefinitionCommand,
  StopServiceDeploymentCommand,
  UpdateServiceCommand,
} from '@aws-sdk/client-ecs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { account, createRestingService, region, startCloud, type TestCloud } from './testing/cloud.ts'

let cloud: TestCloud
let loadBalancer: LoadBalancer

beforeAll(async () => {
  cloud = await startCloud()
  loadBalancer = (await createRestingService(cloud)).loadBalancer ?? {}
})
afterAll(() => cloud[Symbol.asyncDispose]())

const update = (input: object) =>
  cloud.ecs.send(new UpdateServiceCommand({ cluster: 'main', service: 'web', ...input }))
const invalid = (message: RegExp) => ({ name: 'InvalidParameterException', message: expect.stringMatching(message) })
const pause = (more: object = {}) => ({ targetType: 'PAUSE', lifecycleStages: ['POST_SCALE_UP'], ...more })
const blueGreen = (more: object = {}) => ({ strategy: 'BLUE_GREEN', bakeTimeInMinutes: 0, ...more })

test.for([
  ['an unknown strategy', { strategy: 'YOLO' }, /'deploymentConfiguration.strategy' failed to satisfy constraint/],
  ['blue/green without bake time', { strategy: 'BLUE_GREEN' }, /bakeTimeInMinutes is required/],
  ['negative bake time', blueGreen({ bakeTimeInMinutes: -1 }), /bakeTimeInMinutes/],
  ['more than a day of bake time', blueGreen({ bakeTimeInMinutes: 1441 }), /bakeTimeInMinutes/],
  ['a step below 3 %', { strategy: 'LINEAR', linearConfiguration: { stepPercent: 2.9 } }, /stepPercent/],
  ['a step above 100 %', { strategy: 'LINEAR', linearConfiguration: { stepPercent: 100.1 } }, /stepPercent/],
  ['a step of hundredths', { strategy: 'LINEAR', linearConfiguration: { stepPercent: 10.05 } }, /stepPercent/],
  ['a long step bake', { strategy: 'LINEAR', linearConfiguration: { stepBakeTimeInMinutes: 1441 } }, /stepBakeTime/],
  ['a canary of nothing', { strategy: 'CANARY', canaryConfiguration: { canaryPercent: 0 } }, /canaryPercent/],
  ['a canary above 100 %', { strategy: 'CANARY', canaryConfiguration: { canaryPercent: 101 } }, /canaryPercent/],
  ['a long canary bake', { strategy: 'CANARY', canaryConfiguration: { canaryBakeTimeInMinutes: 1441 } }, /canaryBake/],
  ['canary settings for linear', { strategy: 'LINEAR', canaryConfiguration: { canaryPercent: 5 } }, /only valid with/],
  [
    'hooks without a stage',
    blueGreen({ lifecycleHooks: [{ targetType: 'PAUSE', lifecycleStages: [] }] }),
    /lifecycleStages/,
  ],
  ...['TEST_TRAFFIC_SHIFT', 'PRODUCTION_TRAFFIC_SHIFT'].map(
    (stage) =>
      [
        `a pause at ${stage}`,
        blueGreen({ lifecycleHooks: [pause({ lifecycleStages: [stage] })] }),
        /not supported for PAUSE/,
      ] as const,
  ),
  ...['SCALE_UP', 'BAKE_TIME', 'CLEAN_UP', 'NONSENSE'].map(
    (stage) =>
      [
        `a pause at ${stage}, where there are no hooks`,
        blueGreen({ lifecycleHooks: [pause({ lifecycleStages: [stage] })] }),
        /lifecycleStages.1.member' failed to satisfy constraint: Member must satisfy enum value set/,
      ] as const,
  ),
  [
    'a pause with a target',
    blueGreen({ lifecycleHooks: [pause({ hookTargetArn: 'arn:x' })] }),
    /not supported for PAUSE/,
  ],
  [
    'a function without a target',
    blueGreen({ lifecycleHooks: [{ lifecycleStages: ['POST_SCALE_UP'] }] }),
    /required for AWS_LAMBDA/,
  ],
  [
    'a pause of no time',
    blueGreen({ lifecycleHooks: [pause({ timeoutConfiguration: { timeoutInMinutes: 0 } })] }),
    /timeoutInMinutes/,
  ],
  [
    'a pause above 14 days',
    blueGreen({ lifecycleHooks: [pause({ timeoutConfiguration: { timeoutInMinutes: 20_161 } })] }),
    /timeoutInMinutes/,
  ],
  [
    'an unknown timeout action',
    blueGreen({ lifecycleHooks: [pause({ timeoutConfiguration: { action: 'WAIT' } })] }),
    /timeoutConfiguration.action' failed to satisfy constraint/,
  ],
  ['eleven pauses', blueGreen({ lifecycleHooks: Array(11).fill(pause()) }), /at most 10/],
  ['a pause in a rolling deployment', { lifecycleHooks: [pause()] }, /ROLLING/],
  ['a maximum below 100 %', { maximumPercent: 99 }, /maximumPercent/],
  ['a negative minimum', { minimumHealthyPercent: -1 }, /minimumHealthyPercent/],
] as const)('a deployment configuration is rejected: %s', async ([, deploymentConfiguration, message]) => {
  const configuration = deploymentConfiguration as unknown as DeploymentConfiguration
  await expect(update({ deploymentConfiguration: configuration })).rejects.toMatchObject(invalid(message))
})

test(
  'a valid deployment configuration is accepted and starts no deployment',
  everyCase(
    [
      [
        'the longest pause',
        blueGreen({ lifecycleHooks: [pause({ timeoutConfiguration: { timeoutInMinutes: 20_160 } })] }),
      ],
      ['ten pauses', blueGreen({ lifecycleHooks: Array(10).fill(pause()) })],
      ['the longest bake', blueGreen({ bakeTimeInMinutes: 1440 })],
      ['the smallest canary', { strategy: 'CANARY', canaryConfiguration: { canaryPercent: 0.1 } }],
      ['the smallest step', { strategy: 'LINEAR', linearConfiguration: { stepPercent: 3 } }],
    ] as const,
    async (_, configuration) => {
      const before = (await update({})).service?.deployments
      const { service } = await update({ deploymentConfiguration: configuration as unknown as DeploymentConfiguration })
      expect(service?.deploymentConfiguration).toMatchObject(configuration)
      expect(service?.deployments).toEqual(before)
    },
  ),
)

const other = `arn:aws:elasticloadbalancing:${region}:${account}:targetgroup/other/0123456789abcdef`
const unknownRule = `arn:aws:elasticloadbalancing:${region}:${account}:listener-rule/app/web/0/0/0`
const withoutShift = () => ({
  ...loadBalancer,
  targetGroupArn: loadBalancer.advancedConfiguration?.alternateTargetGroupArn,
  advancedConfiguration: undefined,
})
const withAdvanced = (changes: object) => ({
  loadBalancers: [{ ...loadBalancer, advancedConfiguration: { ...loadBalancer.advancedConfiguration, ...changes } }],
})

test(
  'invalid load balancers are rejected',
  everyCase(
    [
      ['no role', () => withAdvanced({ roleArn: undefined }), /roleArn/],
      ['no production rule', () => withAdvanced({ productionListenerRule: undefined }), /productionListenerRule/],
      ['no alternate group', () => withAdvanced({ alternateTargetGroupArn: undefined }), /alternateTargetGroupArn/],
      [
        'an unknown alternate group',
        () => withAdvanced({ alternateTargetGroupArn: other }),
        /Unable to find the specified target group/,
      ],
      [
        'an unknown production rule',
        () => withAdvanced({ productionListenerRule: unknownRule }),
        /Unable to find the specified listener rule/,
      ],
      [
        'an unknown test rule',
        () => withAdvanced({ testListenerRule: unknownRule }),
        /Unable to find the specified listener rule/,
      ],
      [
        'a listener of an application load balancer for a rule',
        () => withAdvanced({ productionListenerRule: unknownRule.replace('listener-rule', 'listener') }),
        /^productionListenerRule has an invalid ARN format. Must be RuleArn for ALB or ListenerArn for NLB. Got: arn:/,
      ],
      [
        'one rule for users and tests',
        () => withAdvanced({ testListenerRule: loadBalancer.advancedConfiguration?.productionListenerRule }),
        /^The following rules cannot be used as both production and test listener rules: arn:/,
      ],
      [
        'a group in two entries',
        () => ({ loadBalancers: [loadBalancer, loadBalancer] }),
        /^Duplicate targetGroupArn found: arn:/,
      ],
      [
        'a shift of one of two load balancers',
        () => ({ loadBalancers: [loadBalancer, withoutShift()] }),
        /^Either all or none of the provided loadBalancers must have advancedConfiguration defined/,
      ],
      [
        'blue/green with a load balancer that says nothing of shifts',
        () => ({ loadBalancers: [withoutShift()], deploymentConfiguration: blueGreen() }),
        /^advancedConfiguration field is required for all loadBalancers when using a non-ROLLING/,
      ],
      [
        'the same group twice',
        () => withAdvanced({ alternateTargetGroupArn: loadBalancer.targetGroupArn }),
        /must be different/,
      ],
      ['an unknown group', () => ({ loadBalancers: [{ ...loadBalancer, targetGroupArn: other }] }), /Unable to find/],
      [
        'an unknown container',
        () => ({ loadBalancers: [{ ...loadBalancer, containerName: 'db' }] }),
        /container db does not exist/,
      ],
      [
        'linear shifts of a service that has no traffic',
        () => ({ loadBalancers: [], deploymentConfiguration: { strategy: 'LINEAR' } }),
        /LINEAR deployment strategy requires a load balancer, Service Connect or VPC Lattice/,
      ],
      [
        'canaries of a service that has no traffic',
        () => ({ loadBalancers: [], deploymentConfiguration: { strategy: 'CANARY' } }),
        /CANARY deployment strategy requires a load balancer/,
      ],
      [
        'blue/green with a VPC Lattice target group that has no second one',
        () => ({
          loadBalancers: [],
          vpcLatticeConfigurations: [{ roleArn: 'arn:aws:iam::1:role/l', targetGroupArn: 'tg-1', portName: 'http' }],
          deploymentConfiguration: blueGreen(),
        }),
        /requires alternateTargetGroupArn and productionListenerRule in the advancedConfiguration of the VPC Lattice/,
      ],
      [
        'blue/green of a service that only service discovery reaches',
        () => ({
          loadBalancers: [],
          serviceRegistries: [{ registryArn: 'arn:aws:servicediscovery:eu-west-1:1:service/srv-1' }],
          deploymentConfiguration: blueGreen(),
        }),
        /^The BLUE_GREEN deployment strategy does not support services that use service discovery/,
      ],
    ] as const,
    async (_, input, message) => {
      await expect(update(input())).rejects.toMatchObject(invalid(message))
    },
  ),
)

const deploymentArn = `arn:aws:ecs:${region}:${account}:service-deployment/main/web/aaaaaaaaaaaaaaaaaaaaa`

test(
  'every error has the code that AWS uses',
  everyCase(
    [
      [
        'an unknown cluster',
        () => new UpdateServiceCommand({ cluster: 'none', service: 'web' }),
        'ClusterNotFoundException',
      ],
      [
        'an unknown service',
        () => new UpdateServiceCommand({ cluster: 'main', service: 'none' }),
        'ServiceNotFoundException',
      ],
      [
        'an unknown task definition',
        () => new UpdateServiceCommand({ cluster: 'main', service: 'web', taskDefinition: 'web:999' }),
        'ClientException',
      ],
      [
        'an unknown platform',
        () => new UpdateServiceCommand({ cluster: 'main', service: 'web', platformVersion: 'x' }),
        'PlatformUnknownException',
      ],
      [
        'fewer tasks than none',
        () => new UpdateServiceCommand({ cluster: 'main', service: 'web', desiredCount: -1 }),
        'InvalidParameterException',
      ],
      [
        'no services',
        () => new DescribeServicesCommand({ cluster: 'main', services: [] }),
        'InvalidParameterException',
      ],
      [
        'eleven services',
        () => new DescribeServicesCommand({ cluster: 'main', services: Array(11).fill('web') }),
        'InvalidParameterException',
      ],
      [
        'twenty-one service deployments',
        () => new DescribeServiceDeploymentsCommand({ serviceDeploymentArns: Array(21).fill(deploymentArn) }),
        'InvalidParameterException',
      ],
      [
        'continuing an unknown service deployment',
        () => new ContinueServiceDeploymentCommand({ serviceDeploymentArn: deploymentArn, hookId: 'x' }),
        'ServiceDeploymentNotFoundException',
      ],
      [
        'stopping an unknown service deployment',
        () => new StopServiceDeploymentCommand({ serviceDeploymentArn: deploymentArn }),
        'ServiceDeploymentNotFoundException',
      ],
      [
        'describing an unknown task definition',
        () => new DescribeTaskDefinitionCommand({ taskDefinition: 'none' }),
        'ClientException',
      ],
      [
        'a task definition without containers',
        () => new RegisterTaskDefinitionCommand({ family: 'web', containerDefinitions: [] }),
        'ClientException',
      ],
      [
        'a container without an image',
        () => new RegisterTaskDefinitionCommand({ family: 'web', containerDefinitions: [{ name: 'web' }] }),
        'ClientException',
      ],
      [
        'a container without a name',
        () => new RegisterTaskDefinitionCommand({ family: 'web', containerDefinitions: [{ image: 'web' }] }),
        'ClientException',
      ],
      [
        'a service that is there',
        () => new CreateServiceCommand({ cluster: 'main', serviceName: 'web', taskDefinition: 'web' }),
        'InvalidParameterException',
      ],
    ] as const,
    async (_, command, name) => {
      const rejection = await (cloud.ecs.send as (command: unknown) => Promise<unknown>)
        .call(cloud.ecs, command())
        .catch((error: unknown) => error)
      expect(rejection).toMatchObject({ name, $metadata: { httpStatusCode: 400 } })
    },
  ),
)

test('an unsupported operation or service is named', async () => {
  await using cloud = await startCloud({ isSigned: false })
  const authorization = (service: string) =>
    `AWS4-HMAC-SHA256 Credential=AK/20260101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=0`
  const ask = async (service: string, target: string) => {
    const headers = { authorization: authorization(service), 'x-amz-target': target }
    const answer = await fetch(cloud.url, { method: 'POST', headers, body: '{}' })
    return [answer.status, await answer.text()]
  }
  expect(await ask('ecs', 'AmazonEC2ContainerServiceV20141113.RunDaemon')).toEqual([
    400,
    expect.stringMatching(/UnknownOperationException.*no operation RunDaemon in ecs/),
  ])
  expect(await ask('kinesis', 'Kinesis_20131202.PutRecord')).toEqual([404, expect.stringMatching(/no service kinesis/)])
  const anonymous = await fetch(cloud.url, { method: 'POST', body: '{}' })
  expect([anonymous.status, await anonymous.text()]).toEqual([
    403,
    expect.stringContaining('Missing Authentication Token'),
  ])
})
