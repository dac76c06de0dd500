import type { EcsStrategy } from '@sluice/server/cloud/facts/ecs'
import type { LambdaStrategy } from '@sluice/server/delivery/deployments/types/lambda/release'
import type { RehearsalJob } from '@sluice/server/delivery/rehearsals/job'

type EcsJob = Extract<RehearsalJob, { type: 'cloud:ecs' }>
type Ec2Job = Extract<RehearsalJob, { type: 'cloud:ec2' }>
type StaticJob = Extract<RehearsalJob, { type: 'cloud:static' }>
type LambdaJob = Extract<RehearsalJob, { type: 'cloud:lambda' }>

const region = 'eu-west-1'
const accountNumber = '111122223333'
const arn = (service: string, resource: string) => `arn:aws:${service}:${region}:${accountNumber}:${resource}`

const clusterArn = arn('ecs', 'cluster/main')
const serviceArn = arn('ecs', 'service/main/web')
const taskDefinitionArn = arn('ecs', 'task-definition/web:7')
const balancer = 'app/web/0123456789abcdef'
const loadBalancerArn = arn('elasticloadbalancing', `loadbalancer/${balancer}`)
const listenerArn = arn('elasticloadbalancing', `listener/${balancer}/1111111111111111`)
const ruleArn = arn('elasticloadbalancing', `listener-rule/${balancer}/1111111111111111/2222222222222222`)
const blueArn = arn('elasticloadbalancing', 'targetgroup/blue/aaaaaaaaaaaaaaaa')
const greenArn = arn('elasticloadbalancing', 'targetgroup/green/bbbbbbbbbbbbbbbb')

const definition = (image: string) => ({
  family: 'web',
  containerDefinitions: [{ name: 'app', image, essential: true, portMappings: [{ containerPort: 8080 }] }],
  cpu: '256',
  memory: '512',
  networkMode: 'awsvpc',
  requiresCompatibilities: ['FARGATE'],
})

const targetGroup = (TargetGroupArn: string, TargetGroupName: string) => ({
  TargetGroupArn,
  TargetGroupName,
  Port: 8080,
  Protocol: 'HTTP',
  TargetType: 'ip',
  VpcId: 'vpc-1',
  LoadBalancerArns: [loadBalancerArn],
})

const loadBalancer = {
  targetGroupArn: blueArn,
  containerName: 'app',
  containerPort: 8080,
  advancedConfiguration: {
    alternateTargetGroupArn: greenArn,
    productionListenerRule: ruleArn,
    roleArn: `arn:aws:iam::${accountNumber}:role/ecs-load-balancer`,
  },
}

/** Returns a rehearsal of `web`: four tasks behind a load balancer, whose green target group serves the users. */
export const jobWith = (strategy: EcsStrategy, change: Partial<EcsJob> = {}): EcsJob => ({
  type: 'cloud:ecs',
  rehearsalId: 'reh_1',
  organizationId: 'org_1',
  moduleInstanceId: 'mi_1',
  release: {
    type: 'cloud:ecs',
    cloudAccountId: 'ca_1',
    region,
    clusterArn,
    serviceArn,
    strategy,
    timeoutSeconds: 1_800,
    taskDefinition: { register: definition('shop/web:8') },
    queue: { queueSize: 1, queueOverflow: 'oldest' },
  },
  twin: {
    region,
    accountNumber,
    readAt: '2030-01-01T12:00:00.000Z',
    cluster: { clusterArn, clusterName: 'main', status: 'ACTIVE' },
    service: {
      serviceArn,
      serviceName: 'web',
      clusterArn,
      status: 'ACTIVE',
      desiredCount: 4,
      launchType: 'FARGATE',
      taskDefinition: taskDefinitionArn,
      loadBalancers: [loadBalancer],
      networkConfiguration: { awsvpcConfiguration: { subnets: ['subnet-1'] } },
      deploymentConfiguration: { maximumPercent: 200, minimumHealthyPercent: 100 },
    },
    taskDefinitions: [{ ...definition('shop/web:7'), taskDefinitionArn, revision: 7, status: 'ACTIVE' }],
    loadBalancers: [{ LoadBalancerArn: loadBalancerArn, LoadBalancerName: 'web', Type: 'application' }],
    listeners: [{ ListenerArn: listenerArn, LoadBalancerArn: loadBalancerArn, Port: 443, Protocol: 'HTTPS' }],
    rules: [
      {
        RuleArn: ruleArn,
        Priority: '10',
        Conditions: [],
        IsDefault: false,
        Actions: [
          {
            Type: 'forward',
            ForwardConfig: {
              TargetGroups: [
                { TargetGroupArn: blueArn, Weight: 0 },
                { TargetGroupArn: greenArn, Weight: 100 },
              ],
            },
          },
        ],
      },
    ],
    targetGroups: [targetGroup(blueArn, 'blue'), targetGroup(greenArn, 'green')],
    alarms: [],
    definition: definition('shop/web:8'),
    missing: { images: [], logGroups: [] },
    startSeconds: 20,
    assumptions: [],
  },
  pace: { minMs: 1_000, maxMs: 15_000, pausedMaxMs: 300_000, crowdMs: 0 },
  scenarios: ['NO_FAULT'],
  isRollback: false,
  ...change,
})

/** Canary with two traffic shifts and a pause before each. */
export const canary = {
  type: 'canary',
  bakeTimeInMinutes: 5,
  canary: { canaryPercent: 10, canaryBakeTimeInMinutes: 5 },
  pauseStages: [{ stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT', timeoutInMinutes: 1_440, timeoutAction: 'ROLLBACK' }],
} satisfies EcsStrategy

const functionArn = arn('lambda', 'function:thumbnails')
const functionSettings = {
  FunctionName: 'thumbnails',
  Runtime: 'nodejs22.x',
  Handler: 'index.handler',
  Role: `arn:aws:iam::${accountNumber}:role/thumbnails`,
  PackageType: 'Zip',
  Architectures: ['arm64'],
  CodeSha256: 'b2xk',
  State: 'Active',
  LastUpdateStatus: 'Successful',
}

/** Returns a rehearsal of `thumbnails`, whose alias `live` points to version 6. */
export const functionJobWith = (strategy: LambdaStrategy, change: Partial<LambdaJob> = {}): LambdaJob => ({
  type: 'cloud:lambda',
  rehearsalId: 'reh_1',
  organizationId: 'org_1',
  moduleInstanceId: 'mi_1',
  release: {
    type: 'cloud:lambda',
    cloudAccountId: 'ca_1',
    region,
    functionArn,
    aliasName: 'live',
    code: { s3Bucket: 'builds', s3Key: 'v7.zip' },
    strategy,
    timeoutSeconds: 1_800,
    queue: { queueSize: 1, queueOverflow: 'oldest' },
  },
  twin: {
    region,
    accountNumber,
    readAt: '2030-01-01T12:00:00.000Z',
    function: { ...functionSettings, FunctionArn: functionArn, Version: '$LATEST', RevisionId: 'r-latest' },
    versions: [{ ...functionSettings, FunctionArn: `${functionArn}:6`, Version: '6', RevisionId: 'r-6' }],
    alias: { AliasArn: `${functionArn}:live`, Name: 'live', FunctionVersion: '6', RevisionId: 'r-live' },
    code: { address: 's3://builds/v7.zip', sha256: 'bmV3' },
    assumptions: [],
  },
  pace: { minMs: 1_000, maxMs: 15_000, pausedMaxMs: 300_000, crowdMs: 0 },
  scenarios: ['NO_FAULT'],
  isRollback: false,
  ...change,
})

/** Canary with 10 % of the calls for five minutes, and a pause before each shift. */
export const functionCanary = {
  type: 'canary',
  bakeTimeInMinutes: 5,
  canary: { canaryPercent: 10, canaryBakeTimeInMinutes: 5 },
  pauseStages: [{ stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT', timeoutInMinutes: 1_440, timeoutAction: 'ROLLBACK' }],
} satisfies LambdaStrategy

const groupName = 'printers'
const instance = (InstanceId: string) => ({ InstanceId, LifecycleState: 'InService', HealthStatus: 'Healthy' })

/** Returns a rehearsal of `printers`, a group of four instances which are updated one at a time. */
export const groupJobWith = (change: Partial<Ec2Job> = {}): Ec2Job => ({
  type: 'cloud:ec2',
  rehearsalId: 'reh_1',
  organizationId: 'org_1',
  moduleInstanceId: 'mi_1',
  release: {
    type: 'cloud:ec2',
    cloudAccountId: 'ca_1',
    region,
    autoScalingGroupName: groupName,
    definition: { runtime: 'container', imageUri: 'shop/printer:8' },
    concurrencyMax: '1',
    errorsMax: '0',
    automaticRollback: true,
    timeoutSeconds: 1_800,
    queue: { queueSize: 1, queueOverflow: 'oldest' },
  },
  twin: {
    region,
    accountNumber,
    readAt: '2030-01-01T12:00:00.000Z',
    group: {
      AutoScalingGroupARN: arn('autoscaling', `autoScalingGroup:11111111:autoScalingGroupName/${groupName}`),
      AutoScalingGroupName: groupName,
      MinSize: 2,
      MaxSize: 6,
      Instances: ['i-1', 'i-2', 'i-3', 'i-4'].map(instance),
    },
    reachable: ['i-1', 'i-2', 'i-3', 'i-4'],
    currentRelease: { deploymentId: 'dep_7', runtime: 'container', imageUri: 'shop/printer:7' },
    installSeconds: 60,
    assumptions: [],
  },
  pace: { minMs: 1_000, maxMs: 15_000, pausedMaxMs: 300_000, crowdMs: 0 },
  scenarios: ['NO_FAULT'],
  isRollback: false,
  ...change,
})

const cloudFront = (resource: string) => `arn:aws:cloudfront::${accountNumber}:${resource}`

/** Returns a rehearsal of `docs`, a site that serves `releases/6` and deletes older releases than the last one. */
export const siteJobWith = (change: Partial<StaticJob> = {}): StaticJob => ({
  type: 'cloud:static',
  rehearsalId: 'reh_1',
  organizationId: 'org_1',
  moduleInstanceId: 'mi_1',
  release: {
    type: 'cloud:static',
    cloudAccountId: 'ca_1',
    region,
    bucket: 'docs',
    prefix: 'releases/7',
    distributions: [{ id: 'E1', arn: cloudFront('distribution/E1') }],
    keyValueStoreArn: cloudFront('key-value-store/docs'),
    invalidationPaths: ['/*'],
    keepReleases: 1,
    timeoutSeconds: 1_800,
    queue: { queueSize: 1, queueOverflow: 'oldest' },
  },
  twin: {
    region,
    accountNumber,
    readAt: '2030-01-01T12:00:00.000Z',
    hasFiles: true,
    active: 'releases/6',
    distributions: [
      { id: 'E1', arn: cloudFront('distribution/E1'), domainName: 'd1.cloudfront.net', compresses: true },
    ],
    assumptions: [],
  },
  pastReleases: [{ moduleInstanceId: 'mi_1', status: 'SUCCESS', prefix: 'releases/6', removedPrefixes: [] }],
  pace: { minMs: 1_000, maxMs: 15_000, pausedMaxMs: 300_000, crowdMs: 0 },
  scenarios: ['NO_FAULT'],
  isRollback: false,
  ...change,
})
