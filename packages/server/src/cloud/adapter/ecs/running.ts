import {
  type Container,
  DescribeServicesCommand,
  DescribeTaskDefinitionCommand,
  DescribeTasksCommand,
  type ECSClient,
  ListTasksCommand,
  type Service,
  type Task,
} from '@aws-sdk/client-ecs'
import { present } from '../../../platform/present.ts'
import type { ServiceInEnvironment } from '../../facts/ecs.ts'
import { withoutDigest } from '../../facts/images.ts'
import type { ContainerLog, Running, RunningSeen, ServiceSeen, TaskCounts } from '../../facts/running.ts'
import type { CloudClients } from '../access.ts'
import { ask, forShow } from '../answer.ts'
import { groupHealths, seenOf, targetStates } from './load-balancers.ts'
import { findService } from './services.ts'
import { recordOf } from './task-definitions.ts'
import { placeOf, readEnd } from './task-logs.ts'

/**
 * So many tasks are on a page, and described at once ("ListTasks", "DescribeTasks" in the API reference, read 2026-11).
 */
const tasksAtOnce = 100

/** The tasks of a service: those that run, and those that stopped and that the cloud still shows, for an hour. */
export async function readTasks(clients: CloudClients, place: ServiceInEnvironment): Promise<RunningSeen> {
  const { tasks, isComplete } = await readServiceWhole(clients, place, tasksAtOnce)
  return { all: tasks, isComplete }
}

/** How many tasks of these services of a cluster run, ten at most. What is not there, or at its end, is left out. */
export async function readTaskCounts(
  ecs: ECSClient,
  cluster: string,
  services: string[],
): Promise<ReadonlyMap<string, TaskCounts>> {
  const { services: found = [] } = await ask(() => ecs.send(new DescribeServicesCommand({ cluster, services })))
  const active = found.filter(({ status }) => status === 'ACTIVE')
  return new Map(
    active.map(({ serviceArn = '', runningCount = 0, pendingCount = 0, desiredCount = 0, taskDefinition }) => [
      serviceArn,
      {
        ...{ runningTasks: runningCount, startingTasks: pendingCount, desiredTasks: desiredCount },
        taskDefinitionArn: taskDefinition,
      },
    ]),
  )
}

/**
 * A service with its tasks, and the target groups that its load balancers send traffic to. `mostTasks`: so many of
 * those that run are looked at, and of those that stopped; whole pages.
 */
export async function readServiceWhole(
  { ecs, elb }: CloudClients,
  place: ServiceInEnvironment,
  mostTasks: number,
): Promise<ServiceSeen> {
  const service = await findService(ecs, place)
  const [running, stopped] = await Promise.all([
    list(ecs, service, 'RUNNING', mostTasks),
    list(ecs, service, 'STOPPED', mostTasks),
  ])
  const tasks = await describe(ecs, place, [...running.arns, ...stopped.arns])
  const groups = (service.loadBalancers ?? []).flatMap(({ targetGroupArn, advancedConfiguration }) =>
    [targetGroupArn, advancedConfiguration?.alternateTargetGroupArn].filter((arn) => arn !== undefined),
  )
  // It only adds to what is known.
  const healths = await forShow(
    () => groupHealths(elb, groups),
    () => {},
  )
  const targets = targetStates(healths ?? [])
  return {
    status: service.status ?? 'UNKNOWN',
    desiredCount: service.desiredCount ?? 0,
    runningCount: service.runningCount ?? 0,
    tasks: tasks.map((task) => runningOf(task, targets)).toSorted(runningFirst),
    groups: (healths ?? []).map(seenOf),
    isComplete: running.isComplete && stopped.isComplete && healths !== undefined,
  }
}

async function list(
  ecs: ECSClient,
  { clusterArn: cluster, serviceName }: Service,
  desiredStatus: 'RUNNING' | 'STOPPED',
  mostTasks: number,
) {
  const arns: string[] = []
  for (let nextToken: string | undefined; ; ) {
    const page = { cluster, serviceName, desiredStatus, maxResults: tasksAtOnce, ...present({ nextToken }) }
    const answer = await ask(() => ecs.send(new ListTasksCommand(page)))
    arns.push(...(answer.taskArns ?? []))
    nextToken = answer.nextToken
    if (nextToken === undefined || arns.length >= mostTasks) return { arns, isComplete: nextToken === undefined }
  }
}

/** One page after the other: the cloud counts these calls for the whole account. */
async function describe(
  ecs: ECSClient,
  { clusterArn: cluster }: ServiceInEnvironment,
  arns: string[],
): Promise<Task[]> {
  const found: Task[] = []
  for (let from = 0; from < arns.length; from += tasksAtOnce) {
    const command = new DescribeTasksCommand({ cluster, tasks: arns.slice(from, from + tasksAtOnce) })
    found.push(...((await ask(() => ecs.send(command))).tasks ?? []))
  }
  return found
}

/** Healths of targets, by the address of each. */
type Targets = ReadonlyMap<string, { isHealthy: boolean; reason: string | undefined }>

const stoppedStatuses = ['DEACTIVATING', 'STOPPING', 'DEPROVISIONING', 'STOPPED', 'DELETED']

function runningOf(task: Task, targets: Targets): Running {
  const { taskArn = '', lastStatus = '', desiredStatus, healthStatus, containers = [] } = task
  const isStopped = desiredStatus === 'STOPPED' || stoppedStatuses.includes(lastStatus)
  const address = addressOf(containers)
  const target = isStopped ? undefined : targets.get(address)
  const byTarget = target && (target.isHealthy ? 'HEALTHY' : 'UNHEALTHY')
  const own = healthStatus === 'HEALTHY' || healthStatus === 'UNHEALTHY' ? healthStatus : undefined
  const [first] = containers
  return {
    ...{ id: nameOf(taskArn), kind: 'TASK', status: lastStatus, isStopped, hasLog: task.startedAt !== undefined },
    // Its own check knows the container, the load balancer's the way to it: one that fails is enough.
    health: own === 'UNHEALTHY' ? own : (byTarget ?? own ?? 'UNKNOWN'),
    ...present({
      zone: task.availabilityZone,
      address: address === '' ? undefined : address,
      image: first?.image,
      digests: digestsOf(containers),
      runs: task.taskDefinitionArn && nameOf(task.taskDefinitionArn),
      externalDeploymentId: task.startedBy,
      since: task.startedAt ?? task.createdAt,
      until: task.stoppedAt,
      reason: isStopped ? whyStopped(task) : target?.reason,
    }),
  }
}

/** The cloud may tell an address with the digest that it took its tag for. */
function digestsOf(containers: readonly Container[]): Record<string, string> | undefined {
  const known = containers.flatMap(({ image, imageDigest }) =>
    image && imageDigest ? [[withoutDigest(image), imageDigest]] : [],
  )
  return known.length === 0 ? undefined : Object.fromEntries(known)
}

const addressOf = (containers: readonly Container[]): string =>
  containers.flatMap(({ networkInterfaces = [] }) =>
    networkInterfaces.flatMap(({ privateIpv4Address: ip }) => ip ?? []),
  )[0] ?? ''

const nameOf = (arn: string): string => arn.split('/').at(-1) ?? arn

function whyStopped({ stoppedReason, containers = [] }: Task): string | undefined {
  const exits = containers.flatMap(({ name, exitCode, reason }) => {
    // A server that was asked to end does so with 0.
    const said = [exitCode ? `exit code ${exitCode}` : undefined, reason].filter((part) => part !== undefined)
    return said.length === 0 ? [] : [`${name}: ${said.join(', ')}`]
  })
  const said = [...new Set([stoppedReason, ...exits])].filter((part) => part !== undefined && part !== '')
  return said.length === 0 ? undefined : said.join(' · ')
}

const runningFirst = (one: Running, other: Running): number =>
  Number(one.isStopped) - Number(other.isStopped) || timeOf(other) - timeOf(one)

const timeOf = ({ since, until }: Running): number => (until ?? since)?.getTime() ?? 0

/** So many containers a task may have ("Amazon ECS service quotas", read 2026-11). */
const mostContainers = 10

/** The end of what the containers of a task wrote; undefined where it is none of the service's tasks. */
export async function readTaskLog(
  { ecs, logs }: CloudClients,
  place: ServiceInEnvironment,
  id: string,
): Promise<ContainerLog[] | undefined> {
  const command = new DescribeTasksCommand({ cluster: place.clusterArn, tasks: [id] })
  const [task] = (await ask(() => ecs.send(command))).tasks ?? []
  // Other tasks of the cluster are none of the instance's.
  if (!task?.taskArn || task.group !== `service:${nameOf(place.serviceArn)}`) return undefined
  const { taskArn, taskDefinitionArn: taskDefinition, containers = [] } = task
  const described = await ask(() => ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition })))
  const definition = recordOf(described.taskDefinition)
  return Promise.all(
    containers.slice(0, mostContainers).map(async ({ name = '' }): Promise<ContainerLog> => {
      const stream = placeOf(definition, name, taskArn)
      if (!stream)
        return { name, lines: [], missing: 'It does not write to the log of the cloud, or without a prefix.' }
      let missing: string | undefined
      const lines = await forShow(
        () => readEnd(logs, stream),
        (reason) => {
          missing = reason
        },
      )
      return { name, lines: lines ?? [], ...present({ missing }) }
    }),
  )
}
