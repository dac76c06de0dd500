import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ACMClient } from '@aws-sdk/client-acm'
import { AutoScalingClient } from '@aws-sdk/client-auto-scaling'
import { CloudFrontClient } from '@aws-sdk/client-cloudfront'
import { CloudFrontKeyValueStoreClient } from '@aws-sdk/client-cloudfront-keyvaluestore'
import {
  ContinueServiceDeploymentCommand,
  CreateClusterCommand,
  CreateServiceCommand,
  type DeploymentConfiguration,
  DescribeServiceDeploymentsCommand,
  DescribeServicesCommand,
  ECSClient,
  ListServiceDeploymentsCommand,
  type LoadBalancer,
  RegisterTaskDefinitionCommand,
  type ServiceDeployment,
  UpdateServiceCommand,
} from '@aws-sdk/client-ecs'
import {
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateRuleCommand,
  CreateTargetGroupCommand,
  DescribeRulesCommand,
  ElasticLoadBalancingV2Client,
} from '@aws-sdk/client-elastic-load-balancing-v2'
import { Route53Client } from '@aws-sdk/client-route-53'
import { S3Client } from '@aws-sdk/client-s3'
import { SSMClient } from '@aws-sdk/client-ssm'
import { STSClient } from '@aws-sdk/client-sts'
import '@aws-sdk/signature-v4a' // registers the signer for key value stores
import { testSeed } from '../../../../testing/seed.ts'
import { SimControl, spawnCloudSim } from '../index.ts'

export const account = '000000000001'
export const region = 'eu-west-1'
const secretAccessKey = 'secret'

/** Speed of a clock that, in effect, stands still: a second of cloud time takes eleven days. */
const standstill = 1e-6

/**
 * Starts a simulated cloud for one test, with AWS SDK clients. Only `advance` moves its clock, so results do not depend
 * on the machine's speed. By default, signatures are verified and responses are checked against their models.
 */
export async function startCloud({ isSigned = true, checksAnswers = true } = {}) {
  const directory = mkdtempSync(join(process.env.TEST_FAST_FOLDER ?? tmpdir(), 'cloud-sim-'))
  const stateFile = join(directory, 'state.db')
  const secret = isSigned ? { operatorSecret: secretAccessKey } : {}
  const options = { stateFile, speed: standstill, clockEpoch: new Date(), seed: testSeed, checksAnswers, ...secret }
  let sim = await spawnCloudSim(options)
  const port = Number(new URL(sim.url).port)
  const settings = {
    endpoint: sim.url,
    region,
    credentials: { accessKeyId: 'AKIAOPERATOR', secretAccessKey },
    maxAttempts: 1,
  }
  const { endpoint, ...elsewhere } = settings
  const cloud = {
    url: sim.url,
    settings,
    control: new SimControl(sim.url),
    acm: new ACMClient(settings),
    autoScaling: new AutoScalingClient(settings),
    ecs: new ECSClient(settings),
    elb: new ElasticLoadBalancingV2Client(settings),
    ssm: new SSMClient(settings),
    sts: new STSClient(settings),
    s3: new S3Client(settings),
    route53: new Route53Client({ ...settings, region: 'us-east-1' }),
    cloudFront: new CloudFrontClient({ ...settings, region: 'us-east-1' }),
    keyValues: new CloudFrontKeyValueStoreClient({ ...elsewhere, endpointProvider: () => keyValuesAt(endpoint) }),
    /** Kills the process and restarts it with the same state and port. */
    async killAndRestart() {
      process.kill(sim.pid, 'SIGKILL')
      await gone(sim.pid)
      sim = await spawnCloudSim({ ...options, port })
    },
    async [Symbol.asyncDispose]() {
      const { acm, autoScaling, ecs, elb, route53, ssm, sts, s3, cloudFront, keyValues } = cloud
      const clients = [acm, autoScaling, ecs, elb, route53, ssm, sts, s3, cloudFront, keyValues]
      for (const client of clients) client.destroy()
      await sim.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
  return cloud
}

/** Bypasses the endpoint rules of the client, which prefix the host with the account. */
const keyValuesAt = (endpoint: string) => ({
  url: new URL(endpoint),
  properties: {
    authSchemes: [
      {
        name: 'sigv4a',
        signingName: 'cloudfront-keyvaluestore',
        signingRegion: '*',
        signingRegionSet: ['*'],
        properties: {},
      },
    ],
  },
})

export type TestCloud = Awaited<ReturnType<typeof startCloud>>

async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/**
 * Reads until `isDone`, advancing cloud time between reads. Fails with the last value after `limitSeconds` of cloud
 * time.
 */
export async function until<T>(
  cloud: TestCloud,
  read: () => Promise<T>,
  isDone: (value: T) => boolean,
  { stepSeconds = 1, limitSeconds = 600 } = {},
): Promise<T> {
  for (let passed = 0; ; passed += stepSeconds) {
    const value = await read()
    if (isDone(value)) return value
    if (passed > limitSeconds) throw new Error(`Not within ${limitSeconds} cloud seconds: ${JSON.stringify(value)}`)
    await cloud.control.advance(stepSeconds)
  }
}

/** Task definition fields for Fargate. */
export const fargateSize = {
  requiresCompatibilities: ['FARGATE' as const],
  networkMode: 'awsvpc' as const,
  cpu: '256',
  memory: '512',
}

/** Service or task fields for Fargate. */
export const onFargate = {
  launchType: 'FARGATE' as const,
  networkConfiguration: { awsvpcConfiguration: { subnets: ['subnet-0a1b2c3d4e5f60711'] } },
}

export async function registerTaskDefinition(cloud: TestCloud, image: string, family = 'web'): Promise<string> {
  const containerDefinitions = [{ name: 'web', image, essential: true, portMappings: [{ containerPort: 80 }] }]
  const answer = await cloud.ecs.send(
    new RegisterTaskDefinitionCommand({ family, containerDefinitions, taskRoleArn: 'web', ...fargateSize }),
  )
  return answer.taskDefinition?.taskDefinitionArn ?? ''
}

/** Creates a load balancer with a production and a test rule for traffic shifts. */
export async function createLoadBalancer(cloud: TestCloud, Name = 'web'): Promise<LoadBalancer> {
  const { LoadBalancers } = await cloud.elb.send(new CreateLoadBalancerCommand({ Name, Subnets: ['subnet-1'] }))
  const LoadBalancerArn = LoadBalancers?.[0]?.LoadBalancerArn
  const names = ['blue', 'green'].map((color) => (Name === 'web' ? color : `${Name}-${color}`))
  const [blue = '', green = ''] = await Promise.all(names.map((name) => createTargetGroup(cloud, name)))
  const DefaultActions = [{ Type: 'fixed-response' as const, FixedResponseConfig: { StatusCode: '404' } }]
  const rule = async (Port: number) => {
    const listener = new CreateListenerCommand({ LoadBalancerArn, Port, Protocol: 'HTTP', DefaultActions })
    const { Listeners } = await cloud.elb.send(listener)
    const ForwardConfig = {
      TargetGroups: [
        { TargetGroupArn: blue, Weight: 100 },
        { TargetGroupArn: green, Weight: 0 },
      ],
    }
    const { Rules } = await cloud.elb.send(
      new CreateRuleCommand({
        ListenerArn: Listeners?.[0]?.ListenerArn,
        Priority: 10,
        Conditions: [{ Field: 'path-pattern', Values: ['/*'] }],
        Actions: [{ Type: 'forward', ForwardConfig }],
      }),
    )
    return Rules?.[0]?.RuleArn ?? ''
  }
  return {
    targetGroupArn: blue,
    containerName: 'web',
    containerPort: 80,
    advancedConfiguration: {
      alternateTargetGroupArn: green,
      productionListenerRule: await rule(80),
      testListenerRule: await rule(8080),
      roleArn: `arn:aws:iam::${account}:role/ecs-load-balancer`,
    },
  }
}

async function createTargetGroup(cloud: TestCloud, Name: string): Promise<string> {
  const input = { Name, Port: 80, Protocol: 'HTTP' as const, VpcId: 'vpc-1', TargetType: 'ip' as const }
  const { TargetGroups } = await cloud.elb.send(new CreateTargetGroupCommand(input))
  return TargetGroups?.[0]?.TargetGroupArn ?? ''
}

/** Creates a stable service `web` of two tasks in cluster `main` after its first, rolling, deployment. */
export async function createRestingService(cloud: TestCloud, options: { withoutLoadBalancer?: boolean } = {}) {
  await cloud.ecs.send(new CreateClusterCommand({ clusterName: 'main' }))
  const taskDefinition = await registerTaskDefinition(cloud, 'web:1')
  const loadBalancer = options.withoutLoadBalancer ? undefined : await createLoadBalancer(cloud)
  const loadBalancers = loadBalancer ? { loadBalancers: [loadBalancer] } : {}
  const input = { cluster: 'main', serviceName: 'web', taskDefinition, desiredCount: 2, ...onFargate, ...loadBalancers }
  await cloud.ecs.send(new CreateServiceCommand(input))
  await until(
    cloud,
    () => describeService(cloud),
    (service) => service.deployments?.[0]?.rolloutState === 'COMPLETED',
  )
  return { taskDefinition, loadBalancer }
}

export async function describeService(cloud: TestCloud) {
  const { services } = await cloud.ecs.send(new DescribeServicesCommand({ cluster: 'main', services: ['web'] }))
  const [service] = services ?? []
  if (!service) throw new Error('There is no service web.')
  return service
}

/** Deploys an image to service `web` and returns the service deployment. */
export async function deploy(cloud: TestCloud, image: string, configuration?: DeploymentConfiguration) {
  const taskDefinition = await registerTaskDefinition(cloud, image)
  const deploymentConfiguration = configuration ? { deploymentConfiguration: configuration } : {}
  const input = { cluster: 'main', service: 'web', taskDefinition, ...deploymentConfiguration }
  const { service } = await cloud.ecs.send(new UpdateServiceCommand(input))
  const number = service?.deployments?.find(({ status }) => status === 'PRIMARY')?.id?.split('/')[1] ?? 'none'
  const found = await until(
    cloud,
    () => listDeployments(cloud),
    (all) => all.some(({ targetServiceRevisionArn }) => targetServiceRevisionArn?.endsWith(`/${number}`)),
  )
  const ours = found.find(({ targetServiceRevisionArn }) => targetServiceRevisionArn?.endsWith(`/${number}`))
  return { taskDefinition, number, arn: ours?.serviceDeploymentArn ?? '' }
}

export async function listDeployments(cloud: TestCloud) {
  const input = { cluster: 'main', service: 'web' }
  const { serviceDeployments } = await cloud.ecs.send(new ListServiceDeploymentsCommand(input))
  return serviceDeployments ?? []
}

export async function describeDeployment(cloud: TestCloud, arn: string): Promise<ServiceDeployment> {
  const command = new DescribeServiceDeploymentsCommand({ serviceDeploymentArns: [arn] })
  const { serviceDeployments } = await cloud.ecs.send(command)
  const [deployment] = serviceDeployments ?? []
  if (!deployment) throw new Error(`There is no service deployment ${arn}.`)
  return deployment
}

export const awaitingHooks = (deployment: ServiceDeployment) =>
  (deployment.lifecycleHookDetails ?? []).filter(({ status }) => status === 'AWAITING_ACTION')

export const isFinal = ({ status }: Pick<ServiceDeployment, 'status'>) =>
  ['SUCCESSFUL', 'STOPPED', 'ROLLBACK_SUCCESSFUL', 'ROLLBACK_FAILED'].includes(status ?? '')

export const waitForPause = (cloud: TestCloud, arn: string) =>
  until(
    cloud,
    () => describeDeployment(cloud, arn),
    (deployment) => awaitingHooks(deployment).length > 0,
    { stepSeconds: 5, limitSeconds: 7200 },
  )

export const waitForEnd = (cloud: TestCloud, arn: string, limitSeconds = 7200) =>
  until(cloud, () => describeDeployment(cloud, arn), isFinal, { stepSeconds: 5, limitSeconds })

export async function answerPause(cloud: TestCloud, arn: string, action: 'CONTINUE' | 'ROLLBACK' = 'CONTINUE') {
  const [hook] = awaitingHooks(await describeDeployment(cloud, arn))
  const input = { serviceDeploymentArn: arn, hookId: hook?.hookId, action }
  await cloud.ecs.send(new ContinueServiceDeploymentCommand(input))
  return hook?.hookId
}

/** Returns the weights of a rule by target group ARN. */
export async function ruleWeights(cloud: TestCloud, ruleArn = ''): Promise<Record<string, number>> {
  const { Rules } = await cloud.elb.send(new DescribeRulesCommand({ RuleArns: [ruleArn] }))
  const groups = Rules?.[0]?.Actions?.[0]?.ForwardConfig?.TargetGroups ?? []
  return Object.fromEntries(groups.map(({ TargetGroupArn = '', Weight = 0 }) => [TargetGroupArn, Weight]))
}
