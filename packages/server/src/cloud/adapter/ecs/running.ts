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
import type { ContainerLog, ObservedService, ObservedTasks, RunningUnit, TaskCounts } from '../../facts/running.ts'
import type { CloudClients } from '../access.ts'
import { callCloud, readOptional } from '../cloud-call.ts'
import { groupHealths, summarizeGroupHealth, targetStates } from './load-balancers.ts'
import { findService } from './services.ts'
import { recordOf } from './task-definitions.ts'
import { logStreamOf, readEnd } from './task-logs.ts'

/**
 * Maximum number of tasks per page and per describe call ("ListTasks", "DescribeTasks" in the API reference, read
 * 2026-11).
 */
const tasksAtOnce = 100

/** Reads the running tasks of a service and the stopped tasks that the cloud still lists, for about an hour. */
export async function readTasks(clients: CloudClients, place: ServiceInEnvironment): Promise<ObservedTasks> {
  const { tasks, isComplete } = await readCompleteService(clients, place, tasksAtOnce)
  return { all: tasks, isComplete }
}

/** Returns the task counts of up to ten services of a cluster, omitting missing and inactive services. */
export async function readTaskCounts(
  ecs: ECSClient,
  cluster: string,
  services: string[],
): Promise<ReadonlyMap<string, TaskCounts>> {
  const { services: found = [] } = await callCloud(() => ecs.send(new DescribeServicesCommand({ cluster, services })))
  const active = found.filter(({ status }) => status === 'ACTIVE')
  return new Map(
    active.map(({ serviceArn = '', runningCount = 0, pendingCount = 0, desiredCount = 0, taskDefinition }) => [
      serviceArn,
      {
        runningTasks: runningCount,
        startingTasks: pendingCount,
        desiredTasks: desiredCount,
        taskDefinitionArn: taskDefinition,
      },
    ]),
  )
}

/**
 * Reads a service with its tasks and the target groups behind its load balancers. `mostTasks` limits running and
 * stopped tasks separately, in whole pages.
 */
export async function readCompleteService(
  { ecs, elb }: CloudClients,
  place: ServiceInEnvironment,
  mostTasks: number,
): Promise<ObservedService> {
  const service = await findService(ecs, place)
  const [running, stopped] = await Promise.all([
    list(ecs, service, 'RUNNING', mostTasks),
    list(ecs, service, 'STOPPED', mostTasks),
  ])
  const tasks = await describe(ecs, place, [...running.arns, ...stopped.arns])
  const groups = (service.loadBalancers ?? []).flatMap(({ targetGroupArn, advancedConfiguration }) =>
    [targetGroupArn, advancedConfiguration?.alternateTargetGroupArn].filter((arn) => arn !== undefined),
  )
  // Target health is optional detail.
  const healths = await readOptional(
    () => groupHealths(elb, groups),
    () => {},
  )
  const targets = targetStates(healths ?? [])
  return {
    status: service.status ?? 'UNKNOWN',
    desiredCount: service.desiredCount ?? 0,
    runningCount: service.runningCount ?? 0,
    tasks: tasks.map((task) => runningOf(task, targets)).toSorted(runningFirst),
    groups: (healths ?? []).map(summarizeGroupHealth),
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
    const answer = await callCloud(() => ecs.send(new ListTasksCommand(page)))
    arns.push(...(answer.taskArns ?? []))
    nextToken = answer.nextToken
    if (nextToken === undefined || arns.length >= mostTasks) return { arns, isComplete: nextToken === undefined }
  }
}

/** Describes tasks one page at a time, because these calls count against the limit of the whole account. */
async function describe(
  ecs: ECSClient,
  { clusterArn: cluster }: ServiceInEnvironment,
  arns: string[],
): Promise<Task[]> {
  const found: Task[] = []
  for (let from = 0; from < arns.length; from += tasksAtOnce) {
    const command = new DescribeTasksCommand({ cluster, tasks: arns.slice(from, from + tasksAtOnce) })
    found.push(...((await callCloud(() => ecs.send(command))).tasks ?? []))
  }
  return found
}

/** Health of targets, by address. */
type Targets = ReadonlyMap<string, { isHealthy: boolean; reason: string | undefined }>

const stoppedStatuses = ['DEACTIVATING', 'STOPPING', 'DEPROVISIONING', 'STOPPED', 'DELETED']

function runningOf(task: Task, targets: Targets): RunningUnit {
  const { taskArn = '', lastStatus = '', desiredStatus, healthStatus, containers = [] } = task
  const isStopped = desiredStatus === 'STOPPED' || stoppedStatuses.includes(lastStatus)
  const address = addressOf(containers)
  const target = isStopped ? undefined : targets.get(address)
  const byTarget = target && (target.isHealthy ? 'HEALTHY' : 'UNHEALTHY')
  const own = healthStatus === 'HEALTHY' || healthStatus === 'UNHEALTHY' ? healthStatus : undefined
  const [first] = containers
  return {
    id: nameOf(taskArn),
    kind: 'TASK',
    status: lastStatus,
    isStopped,
    hasLog: task.startedAt !== undefined,
    // The container health check tests the container, the load balancer the path to it. One failing check is enough.
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
      reason: isStopped ? stopReason(task) : target?.reason,
    }),
  }
}

/** Maps image tags to the digests that ECS resolved them to. */
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

function stopReason({ stoppedReason, containers = [] }: Task): string | undefined {
  const exits = containers.flatMap(({ name, exitCode, reason }) => {
    // Exit code 0 is omitted: a server that was asked to stop exits with it.
    const said = [exitCode ? `exit code ${exitCode}` : undefined, reason].filter((part) => part !== undefined)
    return said.length === 0 ? [] : [`${name}: ${said.join(', ')}`]
  })
  const said = [...new Set([stoppedReason, ...exits])].filter((part) => part !== undefined && part !== '')
  return said.length === 0 ? undefined : said.join(' · ')
}

const runningFirst = (one: RunningUnit, other: RunningUnit): number =>
  Number(one.isStopped) - Number(other.isStopped) || timeOf(other) - timeOf(one)

const timeOf = ({ since, until }: RunningUnit): number => (until ?? since)?.getTime() ?? 0

/** Maximum number of containers of a task ("Amazon ECS service quotas", read 2026-11). */
const maxContainers = 10

/** Returns the last log lines of a task's containers, or undefined if the task does not belong to the service. */
export async function readTaskLog(
  { ecs, logs }: CloudClients,
  place: ServiceInEnvironment,
  id: string,
): Promise<ContainerLog[] | undefined> {
  const command = new DescribeTasksCommand({ cluster: place.clusterArn, tasks: [id] })
  const [task] = (await callCloud(() => ecs.send(command))).tasks ?? []
  // Do not expose tasks of other services in the cluster.
  if (!task?.taskArn || task.group !== `service:${nameOf(place.serviceArn)}`) return undefined
  const { taskArn, taskDefinitionArn: taskDefinition, containers = [] } = task
  const described = await callCloud(() => ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition })))
  const definition = recordOf(described.taskDefinition)
  return Promise.all(
    containers.slice(0, maxContainers).map(async ({ name = '' }): Promise<ContainerLog> => {
      const stream = logStreamOf(definition, name, taskArn)
      if (!stream)
        return { name, lines: [], missing: 'It does not write to the log of the cloud, or without a prefix.' }
      let missing: string | undefined
      const lines = await readOptional(
        () => readEnd(logs, stream),
        (reason) => {
          missing = reason
        },
      )
      return { name, lines: lines ?? [], ...present({ missing }) }
    }),
  )
}
