import type { DescribeTasksRequest, ListTasksRequest, StopTaskRequest, Task as TaskShape } from '@aws-sdk/client-ecs'
import { arns, regionAndAccountOf, scopeOfArn } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { invalidParameter } from '../errors.ts'
import { attachmentStatus, containerStatus } from '../events/ecs-events.ts'
import { seconds, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { findCluster } from './clusters.ts'
import { advanceService } from './deployer.ts'
import { page } from './pages.ts'
import { findService } from './services.ts'
import { ecs, type Task } from './state.ts'
import { stopTask as stop } from './task-life.ts'

const maxDescribed = 100

export function listTasks(world: World, caller: Caller, input: ListTasksRequest) {
  const cluster = findCluster(world, caller, input.cluster)
  const { serviceName, family, startedBy, desiredStatus = 'RUNNING' } = input
  // "When you specify startedBy as the filter, it must be the only filter that you use": ListTasks, read 2026-11.
  const others = [serviceName, family, input.desiredStatus, input.launchType, input.containerInstance]
  if (startedBy !== undefined && others.some((filter) => filter !== undefined)) {
    throw invalidParameter('startedBy cannot be combined with other filters.')
  }
  const tasks = serviceName
    ? ecs(world).tasks.having('service', findService(world, caller, { cluster: cluster.key, service: serviceName }).key)
    : ecs(world).tasks.having('cluster', cluster.key)
  const isWanted = (task: Task) =>
    task.desiredStatus === desiredStatus &&
    (family === undefined || task.taskDefinitionArn.includes(`:task-definition/${family}:`)) &&
    (startedBy === undefined || task.startedBy === startedBy)
  const { items, more } = page(tasks.filter(isWanted), input)
  return { taskArns: items.map(({ key }) => key), ...more }
}

export function describeTasks(world: World, caller: Caller, input: DescribeTasksRequest) {
  const cluster = findCluster(world, caller, input.cluster)
  const names = input.tasks ?? []
  if (names.length === 0) throw invalidParameter('Tasks cannot be empty.')
  if (names.length > maxDescribed) throw invalidParameter(`Tasks cannot have more than ${maxDescribed} elements.`)
  const wanted = names.map((name) => (name.startsWith('arn:') ? name : arns.inCluster(cluster.key, 'task', name)))
  const found = wanted.flatMap((arn) => (scopeOfArn(arn) === caller.scope && ecs(world).tasks.get(arn)) || [])
  return {
    tasks: found.map((task) => describe(world, task)),
    failures: wanted.filter((arn) => !found.some(({ key }) => key === arn)).map((arn) => ({ arn, reason: 'MISSING' })),
  }
}

export function stopTask(world: World, caller: Caller, input: StopTaskRequest) {
  const cluster = findCluster(world, caller, input.cluster)
  const { task: name = '', reason = 'Task stopped by user' } = input
  const task = ecs(world).tasks.get(name.startsWith('arn:') ? name : arns.inCluster(cluster.key, 'task', name))
  if (!task || scopeOfArn(task.key) !== caller.scope) throw invalidParameter('The referenced task was not found.')
  stop(world, task, 'UserInitiated', reason)
  if (task.serviceArn) advanceService(world, task.serviceArn)
  return { task: describe(world, task) }
}

/** Serializes a task as in DescribeTasks. */
export function describe(world: World, task: Task): Wire<TaskShape> {
  const definition = ecs(world).taskDefinitions.get(task.taskDefinitionArn)?.content
  const hasStarted = task.startedAt !== undefined
  const checked = (definition?.containerDefinitions ?? []).flatMap(({ name, healthCheck }) =>
    healthCheck ? (name ?? []) : [],
  )
  const { startedAt, stoppingAt, executionStoppedAt, stoppedAt } = task
  const moments = { startedAt, stoppingAt, executionStoppedAt, stoppedAt }
  const known = Object.entries(moments).flatMap(([name, at]) => (at === undefined ? [] : [[name, seconds(at)]]))
  return {
    taskArn: task.key,
    clusterArn: task.clusterArn,
    taskDefinitionArn: task.taskDefinitionArn,
    group: task.group,
    startedBy: task.startedBy,
    attachments: [
      {
        id: task.attachmentId,
        type: 'ElasticNetworkInterface',
        status: attachmentStatus(task),
        details: [{ name: 'privateIPv4Address', value: task.ip }],
      },
    ],
    attributes: [{ name: 'ecs.cpu-architecture', value: 'x86_64' }],
    availabilityZone: `${regionAndAccountOf(scopeOfArn(task.key)).region}${task.zone ?? 'a'}`,
    ...(hasStarted ? { connectivity: 'CONNECTED' } : {}),
    containers: task.containers.map((container) => ({
      containerArn: `${task.key.replace(':task/', ':container/')}/${container.name}`,
      taskArn: task.key,
      name: container.name,
      image: container.image,
      ...(hasStarted ? { imageDigest: container.digest, runtimeId: container.runtimeId } : {}),
      lastStatus: containerStatus(task),
      healthStatus: healthOf(task, checked.includes(container.name)),
      exitCode: container.exitCode,
      reason: container.reason,
      networkInterfaces: [{ attachmentId: task.attachmentId, privateIpv4Address: task.ip }],
      cpu: '0',
    })),
    cpu: definition?.cpu ?? '256',
    memory: definition?.memory ?? '512',
    createdAt: seconds(task.createdAt),
    ...Object.fromEntries(known),
    desiredStatus: task.desiredStatus,
    lastStatus: task.lastStatus,
    healthStatus: healthOf(task, checked.length > 0),
    enableExecuteCommand: task.enableExecuteCommand ?? false,
    ephemeralStorage: { sizeInGiB: 20 },
    launchType: 'FARGATE',
    platformVersion: '1.4.0',
    platformFamily: 'Linux',
    overrides: task.overrides ?? { containerOverrides: task.containers.map(({ name }) => ({ name })) },
    stopCode: task.stopCode,
    stoppedReason: task.stoppedReason,
    tags: [],
    version: task.version,
  }
}

/**
 * Returns a task's health by container health checks. Load balancers and containers without a check do not count
 * ("Determine Amazon ECS task health using container health checks", developer guide, read 2026-11).
 */
function healthOf({ health, lastStatus }: Task, isChecked: boolean): 'HEALTHY' | 'UNHEALTHY' | 'UNKNOWN' {
  if (!isChecked || health === 'unknown' || lastStatus === 'STOPPED') return 'UNKNOWN'
  return health === 'healthy' ? 'HEALTHY' : 'UNHEALTHY'
}
