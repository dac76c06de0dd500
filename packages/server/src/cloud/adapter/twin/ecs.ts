import { AlarmType, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch'
import {
  DescribeClustersCommand,
  DescribeTaskDefinitionCommand,
  DescribeTasksCommand,
  ListTasksCommand,
  type Service,
} from '@aws-sdk/client-ecs'
import {
  DescribeListenersCommand,
  DescribeLoadBalancersCommand,
  DescribeRulesCommand,
  type Listener,
  type LoadBalancer,
  type Rule,
} from '@aws-sdk/client-elastic-load-balancing-v2'
import { present } from '../../../platform/present.ts'
import type { MissingParts, ServiceRelease } from '../../facts/ecs.ts'
import { callingHooksOf, trafficShiftsOf } from '../../facts/ecs-configuration.ts'
import type { CloudShape, EcsTwin } from '../../facts/twin.ts'
import type { CloudClients } from '../access.ts'
import { CloudPermanentError, callCloud } from '../cloud-call.ts'
import { findMissingParts } from '../ecs/release-parts.ts'
import { findService } from '../ecs/services.ts'
import { plain, readOrAssume } from './reading.ts'

type Clients = Pick<CloudClients, 'ecs' | 'elb' | 'metrics' | 'images' | 'logs'>

/** Release of an ECS service to simulate. */
export type TwinRequest = {
  release: ServiceRelease & { region: string }
  /** Task definition of the release; it is not registered yet, so fields that the cloud adds are missing. */
  definition: CloudShape
  /** ARN of an existing task definition that the release reuses. */
  reusedArn?: string
}

/** Copies an ECS service and everything that a release of it touches, for the simulation. Makes only read calls. */
export async function readEcsTwin(clients: Clients, request: TwinRequest, now: Date): Promise<EcsTwin> {
  const { release } = request
  const { ecs } = clients
  const { region, clusterArn } = release
  const assumptions: string[] = []
  const readOr = readOrAssume(assumptions)
  const service = await findService(ecs, release)
  const alarmNames = alarmNamesOf(service, release)
  const standInAlarms = alarmNames.map((AlarmName) => ({ AlarmName, StateValue: 'OK' }))
  const [cluster, taskDefinitions, balancing, alarms, missing, startSeconds] = await Promise.all([
    readOr('The cluster', { clusterArn, clusterName: nameOf(clusterArn) }, () => readCluster(ecs, clusterArn)),
    readTaskDefinitions(ecs, service.taskDefinition, request.reusedArn),
    readLoadBalancing(clients.elb, service, release),
    readOr<object[]>('The alarms', standInAlarms, () => readAlarms(clients.metrics, alarmNames)),
    readOr<MissingParts>('The images', { images: [], logGroups: [] }, () => readMissing(clients, request, now)),
    readOr('The start-up time of tasks', undefined, () => readStartSeconds(ecs, service)),
  ])
  const { adapted, notes } = withoutUnsimulated(service)
  assumptions.push(...notes)
  if (startSeconds === undefined) assumptions.push('No running task shows how long tasks take to start.')
  return {
    region,
    accountNumber: clusterArn.split(':')[4] ?? '',
    readAt: now.toISOString(),
    cluster: plain(cluster),
    service: adapted,
    taskDefinitions: taskDefinitions.map(plain),
    definition: request.definition,
    ...balancing,
    alarms: alarms.map(plain),
    missing,
    ...present({ startSeconds }),
    assumptions,
  }
}

const nameOf = (arn: string): string => arn.split('/').at(-1) ?? arn

async function readCluster(ecs: Clients['ecs'], clusterArn: string) {
  const { clusters } = await callCloud(() => ecs.send(new DescribeClustersCommand({ clusters: [clusterArn] })))
  return clusters?.[0] ?? { clusterArn, clusterName: nameOf(clusterArn) }
}

/** Reads the task definition that runs and the one to reuse. Leaves out a deleted one, which the release registers. */
async function readTaskDefinitions(ecs: Clients['ecs'], current: string | undefined, reusedArn: string | undefined) {
  const [own, reused] = await Promise.all([
    current === undefined ? undefined : readTaskDefinition(ecs, current),
    reusedArn === undefined || reusedArn === current
      ? undefined
      : readTaskDefinition(ecs, reusedArn).catch((error: unknown) => {
          if (error instanceof CloudPermanentError && error.reason === 'ClientException') return undefined
          throw error
        }),
  ])
  return [own, reused].filter((one) => one !== undefined)
}

async function readTaskDefinition(ecs: Clients['ecs'], taskDefinition: string) {
  const answer = await callCloud(() => ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition })))
  return answer.taskDefinition ?? {}
}

/** Removes settings that the simulator does not support and lists the resulting assumptions. */
function withoutUnsimulated(service: Service): { adapted: CloudShape; notes: string[] } {
  const notes: string[] = []
  const { capacityProviderStrategy = [], deploymentConfiguration = {}, events: _, ...others } = service
  const own = capacityProviderStrategy.filter(({ capacityProvider = '' }) => !capacityProvider.startsWith('FARGATE'))
  if (own.length > 0) {
    const names = own.map(({ capacityProvider }) => capacityProvider).join(', ')
    notes.push(`The capacity provider ${names} is assumed to have room for all tasks.`)
  }
  const capacity = own.length > 0 ? { launchType: 'EC2' } : { capacityProviderStrategy }
  const hooks = callingHooksOf(deploymentConfiguration)
  if (hooks.length > 0) notes.push(`The lifecycle hooks that call ${hooks.join(', ')} are assumed to succeed.`)
  const lifecycleHooks = (deploymentConfiguration.lifecycleHooks ?? []).filter((hook) => hook.targetType === 'PAUSE')
  const isAtRest = service.deployments?.length === 1
  if (!isAtRest) notes.push('A release of the service was in progress. The rehearsal begins as if it were over.')
  const configuration = { ...deploymentConfiguration, lifecycleHooks }
  return { adapted: plain({ ...others, ...capacity, deploymentConfiguration: configuration }), notes }
}

type LoadBalancing = Pick<EcsTwin, 'loadBalancers' | 'listeners' | 'rules' | 'targetGroups'>

async function readLoadBalancing(
  elb: Clients['elb'],
  service: Service,
  release: ServiceRelease,
): Promise<LoadBalancing> {
  const balancers = service.loadBalancers ?? []
  const shifts = [...trafficShiftsOf(balancers), ...(release.trafficShift ? [release.trafficShift] : [])]
  const pairs = shifts.flatMap((shift) => [shift.targetGroupArn, shift.alternateTargetGroupArn])
  const groups = [...new Set([...balancers.flatMap(({ targetGroupArn }) => targetGroupArn ?? []), ...pairs])]
  const ruleArns = shifts.flatMap((shift) => [shift.productionListenerRuleArn, shift.testListenerRuleArn ?? []].flat())
  const LoadBalancerArns = [...new Set(ruleArns.map(balancerArnOf))]
  const [loadBalancers, listeners] = await Promise.all([
    LoadBalancerArns.length === 0 ? [] : readLoadBalancers(elb, LoadBalancerArns),
    Promise.all(LoadBalancerArns.map((arn) => readListenersOf(elb, arn))).then((lists) => lists.flat()),
  ])
  const rules = await readRules(elb, { listeners, ruleArns, groups })
  const unserved = groups.filter((arn) => ![...listeners, ...rules].some((one) => forwardsTo(one, arn)))
  const standIns = unserved.map(placeholderBalancer)
  return {
    loadBalancers: [...loadBalancers, ...standIns.map(({ loadBalancer }) => loadBalancer)].map(plain),
    listeners: [...listeners, ...standIns.map(({ listener }) => listener)].map(plain),
    rules: rules.map(plain),
    targetGroups: groups.map(targetGroupOf),
  }
}

/**
 * Returns the load balancer's ARN from a listener rule ARN (`…:listener-rule/app/NAME/ID/LISTENER/RULE`) or a listener
 * ARN.
 */
const balancerArnOf = (ruleArn: string): string => {
  const [place = '', , type = '', name = '', id = ''] = ruleArn.split(/:listener(?:-rule)?(?=\/)|\//)
  return `${place}:loadbalancer/${type}/${name}/${id}`
}

/** Returns a placeholder for a target group (`…:targetgroup/NAME/ID`), without its health check settings. */
const targetGroupOf = (TargetGroupArn: string): CloudShape => ({
  TargetGroupArn,
  TargetGroupName: TargetGroupArn.split('/').at(-2) ?? '',
  Port: 80,
  Protocol: 'HTTP',
})

/** Returns a placeholder load balancer for a target group whose own is unknown, because ECS requires one. */
function placeholderBalancer(TargetGroupArn: string) {
  const [place, , id] = TargetGroupArn.split(/:targetgroup(?=\/)|\/(?=[0-9a-f]+$)/)
  const loadBalancer = { LoadBalancerArn: `${place}:loadbalancer/app/assumed/${id}`, LoadBalancerName: 'assumed' }
  const ListenerArn = `${place}:listener/app/assumed/${id}/${id}`
  const DefaultActions = [{ Type: 'forward' as const, TargetGroupArn }]
  return { loadBalancer, listener: { ...loadBalancer, ListenerArn, Port: 80, DefaultActions } }
}

async function readLoadBalancers(elb: Clients['elb'], LoadBalancerArns: string[]): Promise<LoadBalancer[]> {
  return (await callCloud(() => elb.send(new DescribeLoadBalancersCommand({ LoadBalancerArns })))).LoadBalancers ?? []
}

async function readListenersOf(elb: Clients['elb'], LoadBalancerArn: string): Promise<Listener[]> {
  return (await callCloud(() => elb.send(new DescribeListenersCommand({ LoadBalancerArn })))).Listeners ?? []
}

type RulesRequest = { listeners: readonly Listener[]; ruleArns: readonly string[]; groups: readonly string[] }

/** Reads the rules that the release changes and the rules that forward to the service's target groups. */
async function readRules(elb: Clients['elb'], { listeners, ruleArns, groups }: RulesRequest): Promise<Rule[]> {
  const lists = await Promise.all(
    listeners.map(({ ListenerArn }) => callCloud(() => elb.send(new DescribeRulesCommand({ ListenerArn })))),
  )
  const concerns = (rule: Rule) => ruleArns.includes(rule.RuleArn ?? '') || groups.some((arn) => forwardsTo(rule, arn))
  // Default actions come with their listeners.
  return lists.flatMap(({ Rules = [] }) => Rules.filter((rule) => !rule.IsDefault && concerns(rule)))
}

/** Reports whether a rule or a listener's default action forwards to the target group. */
function forwardsTo(one: Rule | Listener, groupArn: string): boolean {
  const actions = ('Actions' in one ? one.Actions : 'DefaultActions' in one ? one.DefaultActions : undefined) ?? []
  return actions.some(({ TargetGroupArn, ForwardConfig }) =>
    [TargetGroupArn, ...(ForwardConfig?.TargetGroups ?? []).map((group) => group.TargetGroupArn)].includes(groupArn),
  )
}

const alarmNamesOf = ({ deploymentConfiguration: { alarms } = {} }: Service, release: ServiceRelease): string[] =>
  release.alarms ?? (alarms?.enable ? (alarms.alarmNames ?? []) : [])

async function readAlarms(metrics: Clients['metrics'], names: readonly string[]) {
  if (names.length === 0) return []
  const AlarmNames = names.slice(0, 100)
  const command = new DescribeAlarmsCommand({
    AlarmNames,
    AlarmTypes: [AlarmType.MetricAlarm, AlarmType.CompositeAlarm],
  })
  const { MetricAlarms = [], CompositeAlarms = [] } = await callCloud(() => metrics.send(command))
  return [...MetricAlarms, ...CompositeAlarms]
}

function readMissing(clients: Clients, { release, definition }: TwinRequest, now: Date): Promise<MissingParts> {
  const record = { arn: '', revision: 0, definition }
  return findMissingParts(clients, record, { region: release.region, now })
}

/** Returns the median start time of the running tasks, in seconds. */
async function readStartSeconds(ecs: Clients['ecs'], service: Service): Promise<number | undefined> {
  const { clusterArn: cluster, serviceName } = service
  const { taskArns = [] } = await callCloud(() =>
    ecs.send(new ListTasksCommand({ cluster, serviceName, maxResults: 20 })),
  )
  if (taskArns.length === 0) return undefined
  const { tasks = [] } = await callCloud(() => ecs.send(new DescribeTasksCommand({ cluster, tasks: taskArns })))
  const took = tasks
    .flatMap(({ createdAt, startedAt }) => (createdAt && startedAt ? [startedAt.getTime() - createdAt.getTime()] : []))
    .sort((a, b) => a - b)
  const median = took[Math.floor(took.length / 2)]
  return median === undefined ? undefined : Math.max(1, Math.round(median / 1_000))
}
