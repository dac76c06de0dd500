import {
  CreateClusterCommand,
  CreateServiceCommand,
  type ECSClient,
  RegisterTaskDefinitionCommand,
} from '@aws-sdk/client-ecs'
import {
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateRuleCommand,
  CreateTargetGroupCommand,
  DescribeRulesCommand,
  type ElasticLoadBalancingV2Client,
} from '@aws-sdk/client-elastic-load-balancing-v2'
import type { CloudClients } from '../src/cloud/adapter/access.ts'

/** Cluster and load balancer for services, with a production listener and a test listener. */
export type Stage = {
  clusterArn: string
  productionListenerArn: string
  testListenerArn: string
  accountNumber: string
}

/** Input by which an instance of the module `container-service` finds its service. */
export type ServiceInput = {
  cluster_arn: string
  service_arn: string
  family: string
  execution_role_arn: string
  target_group_arn: string
  alternate_target_group_arn: string
  production_listener_rule_arn: string
  test_listener_rule_arn: string
  infrastructure_role_arn: string
  strategy: Record<string, unknown> | null
}

const vpc = 'vpc-0a1b2c3d4e5f60718'
const subnets = ['subnet-0a1b2c3d4e5f60711', 'subnet-0a1b2c3d4e5f60712']
const securityGroups = ['sg-0a1b2c3d4e5f60713']

/** Network of the services in the simulated account. */
export const shopNetwork = {
  id: vpc,
  name: 'shop',
  cidr: '10.0.0.0/16',
  subnets: subnets.map((id, index) => {
    const zone = index === 0 ? 'a' : 'b'
    return { id, name: `shop-private-${zone}`, cidr: `10.0.${index}.0/24`, zone, isPublic: false, taken: 12 }
  }),
  securityGroups: securityGroups.map((id) => ({
    id,
    name: 'shop',
    description: 'What the services of the shop run in',
  })),
}

/** Roles that services pass: one starts their tasks, the other changes the rules of their load balancer. */
const roleNames = { execution: 'sluice-task-execution', infrastructure: 'sluice-load-balancing' }

/** Returns these roles and those of functions, each with the service that it trusts. */
export const shopRoles = (accountNumber: string, functionNames: readonly string[] = []) =>
  [
    { name: roleNames.execution, trustedService: 'ecs-tasks.amazonaws.com' },
    { name: roleNames.infrastructure, trustedService: 'ecs.amazonaws.com' },
    ...functionNames.map((name) => ({ name, trustedService: 'lambda.amazonaws.com' })),
  ].map(({ name, trustedService }) => ({ roleArn: `arn:aws:iam::${accountNumber}:role/${name}`, trustedService }))

/** Creates the cluster and the load balancer with its two listeners. */
export async function createStage({ ecs, elb }: CloudClients, name: string): Promise<Stage> {
  const { cluster } = await ecs.send(new CreateClusterCommand({ clusterName: name }))
  const clusterArn = given(cluster?.clusterArn, 'cluster ARN')
  const { LoadBalancers } = await elb.send(
    new CreateLoadBalancerCommand({
      Name: name,
      Type: 'application',
      Subnets: subnets,
      SecurityGroups: securityGroups,
    }),
  )
  const balancerArn = given(LoadBalancers?.[0]?.LoadBalancerArn, 'load balancer ARN')
  return {
    clusterArn,
    productionListenerArn: await createListener(elb, balancerArn, 80),
    testListenerArn: await createListener(elb, balancerArn, 8080),
    accountNumber: given(clusterArn.split(':').at(4), 'account number'),
  }
}

async function createListener(elb: ElasticLoadBalancingV2Client, balancerArn: string, port: number): Promise<string> {
  const { Listeners } = await elb.send(
    new CreateListenerCommand({
      LoadBalancerArn: balancerArn,
      Port: port,
      Protocol: 'HTTP',
      DefaultActions: [
        {
          Type: 'fixed-response',
          FixedResponseConfig: { StatusCode: '404', ContentType: 'text/plain', MessageBody: 'No such host.' },
        },
      ],
    }),
  )
  return given(Listeners?.[0]?.ListenerArn, 'listener ARN')
}

export type ServiceSpec = {
  name: string
  image: string
  /** The `deploy.strategy` of its releases; null for rolling. */
  strategy: Record<string, unknown> | null
  desiredCount?: number
}

/** Creates a service that runs `image`, with its two target groups and its rules on both listeners. */
export async function createService(
  { ecs, elb }: CloudClients,
  stage: Stage,
  wish: ServiceSpec,
): Promise<ServiceInput> {
  const { name, strategy } = wish
  const blue = await createTargetGroup(elb, `${name}-blue`)
  const green = await createTargetGroup(elb, `${name}-green`)
  const production = await createRule(elb, stage.productionListenerArn, `${name}.shop.example`, [blue, green])
  const test = await createRule(elb, stage.testListenerArn, `${name}.shop.example`, [blue, green])
  const infrastructureRole = `arn:aws:iam::${stage.accountNumber}:role/${roleNames.infrastructure}`
  const executionRole = `arn:aws:iam::${stage.accountNumber}:role/${roleNames.execution}`
  const region = given(stage.clusterArn.split(':').at(3), 'region')
  const taskDefinition = await registerFirst(ecs, wish, executionRole, region)
  const shifts = strategy !== null && strategy.type !== 'rolling'
  const { service } = await ecs.send(
    new CreateServiceCommand({
      cluster: stage.clusterArn,
      serviceName: name,
      taskDefinition,
      desiredCount: wish.desiredCount ?? 2,
      launchType: 'FARGATE',
      networkConfiguration: { awsvpcConfiguration: { subnets, securityGroups } },
      deploymentConfiguration: shifts ? { strategy: 'BLUE_GREEN', bakeTimeInMinutes: 0 } : { strategy: 'ROLLING' },
      loadBalancers: [
        {
          targetGroupArn: blue,
          containerName: 'app',
          containerPort: 8080,
          ...(shifts && {
            advancedConfiguration: {
              alternateTargetGroupArn: green,
              productionListenerRule: production,
              testListenerRule: test,
              roleArn: infrastructureRole,
            },
          }),
        },
      ],
    }),
  )
  return {
    cluster_arn: stage.clusterArn,
    service_arn: given(service?.serviceArn, 'service ARN'),
    family: name,
    execution_role_arn: executionRole,
    target_group_arn: blue,
    alternate_target_group_arn: green,
    production_listener_rule_arn: production,
    test_listener_rule_arn: test,
    infrastructure_role_arn: infrastructureRole,
    strategy,
  }
}

async function createTargetGroup(elb: ElasticLoadBalancingV2Client, name: string): Promise<string> {
  const { TargetGroups } = await elb.send(
    new CreateTargetGroupCommand({
      Name: name,
      Protocol: 'HTTP',
      Port: 8080,
      VpcId: vpc,
      TargetType: 'ip',
      HealthCheckPath: '/health',
    }),
  )
  return given(TargetGroups?.[0]?.TargetGroupArn, 'target group ARN')
}

async function createRule(
  elb: ElasticLoadBalancingV2Client,
  listener: string,
  host: string,
  [first, other]: [first: string, other: string],
): Promise<string> {
  const { Rules: present = [] } = await elb.send(new DescribeRulesCommand({ ListenerArn: listener }))
  const { Rules } = await elb.send(
    new CreateRuleCommand({
      ListenerArn: listener,
      Priority: present.length + 1,
      Conditions: [{ Field: 'host-header', HostHeaderConfig: { Values: [host] } }],
      Actions: [
        {
          Type: 'forward',
          ForwardConfig: {
            // The cloud accepts the strategy only if a rule leads to both target groups.
            TargetGroups: [
              { TargetGroupArn: first, Weight: 100 },
              { TargetGroupArn: other, Weight: 0 },
            ],
          },
        },
      ],
    }),
  )
  return given(Rules?.[0]?.RuleArn, 'rule ARN')
}

/** Returns the log group of a service. */
export const logGroupOf = (service: string): string => `/services/${service}`

async function registerFirst(
  ecs: ECSClient,
  { name, image }: ServiceSpec,
  executionRoleArn: string,
  region: string,
): Promise<string> {
  const { taskDefinition } = await ecs.send(
    new RegisterTaskDefinitionCommand({
      family: name,
      cpu: '256',
      memory: '512',
      networkMode: 'awsvpc',
      requiresCompatibilities: ['FARGATE'],
      executionRoleArn,
      containerDefinitions: [
        {
          name: 'app',
          image,
          essential: true,
          portMappings: [{ containerPort: 8080, protocol: 'tcp' }],
          logConfiguration: {
            logDriver: 'awslogs',
            options: {
              'awslogs-group': logGroupOf(name),
              'awslogs-region': region,
              'awslogs-stream-prefix': 'app',
            },
          },
        },
      ],
    }),
  )
  return given(taskDefinition?.taskDefinitionArn, 'task definition ARN')
}

function given<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`The cloud answered without the ${what}.`)
  return value
}
