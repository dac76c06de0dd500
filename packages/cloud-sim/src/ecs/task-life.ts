import { randomInt, randomUUID } from 'node:crypto'
import type { ContainerDefinition, TaskStopCode } from '@aws-sdk/client-ecs'
import { arns, nameOf } from '../arns.ts'
import { deregisterTarget, registerTarget, setTargetHealth } from '../elb/targets.ts'
import { publishTask } from '../events/ecs-events.ts'
import { hex } from '../ids.ts'
import { closeTaskStreams, openTaskStreams } from '../logs/task-streams.ts'
import type { World } from '../world.ts'
import type { Behaviour } from './behaviour.ts'
import { countFailure, countHealthy } from './breaker.ts'
import { digestOf, digestsOf } from './image-digest.ts'
import { behaviourOf } from './images.ts'
import { startError, startProgram, stopProgram } from './programs.ts'
import { recordServiceEvent } from './service-events.ts'
import { deploymentIdOf, type Revision, type Service } from './service-records.ts'
import { ecs, type Task } from './state.ts'

export const startTask = (world: World, service: Service, revision: Revision): Task =>
  launch(world, {
    clusterArn: service.clusterArn,
    serviceArn: service.key,
    revisionArn: revision.key,
    taskDefinitionArn: revision.spec.taskDefinition,
    behaviour: behaviourOfTask(world, revision.spec.taskDefinition),
    group: `service:${service.name}`,
    startedBy: deploymentIdOf(revision),
    zone: nextZone(world, service, revision),
    targets: (revision.spec.loadBalancers ?? []).map(({ containerPort }, index) => ({
      targetGroupArn: revision.targetGroups[index] ?? '',
      port: containerPort ?? 80,
    })),
  })

/**
 * Returns the zone for the next task. Each subnet is in its own zone, and tasks are spread across them ("Task
 * placement", developer guide).
 */
function nextZone(world: World, service: Service, { spec }: Revision): string {
  const zones = 'abc'.slice(0, Math.max(1, spec.networkConfiguration?.awsvpcConfiguration?.subnets?.length ?? 1))
  const used = ecs(world)
    .tasks.having('service', service.key)
    .flatMap((task) => (task.desiredStatus === 'RUNNING' ? [task.zone ?? 'a'] : []))
  const count = (zone: string) => used.filter((one) => one === zone).length
  return [...zones].reduce((least, zone) => (count(zone) < count(least) ? zone : least))
}

/** Settings with which a task is started. */
export type Launch = Pick<
  Task,
  | 'clusterArn'
  | 'serviceArn'
  | 'revisionArn'
  | 'taskDefinitionArn'
  | 'behaviour'
  | 'group'
  | 'startedBy'
  | 'targets'
  | 'job'
  | 'program'
  | 'overrides'
  | 'enableExecuteCommand'
  | 'zone'
>

export function launch(world: World, start: Launch): Task {
  const id = hex(32)
  const definition = ecs(world).taskDefinitions.get(start.taskDefinitionArn)
  const definitions = definition?.content.containerDefinitions ?? []
  const revision = ecs(world).revisions.get(start.revisionArn ?? '')
  const digests = revision
    ? digestsOf(world, revision, definitions)
    : definitions.map(({ image = '' }) => digestOf(world, image))
  const containers = definitions.map((one, index) => newContainer(id, one, digests[index] ?? ''))
  const now = world.clock.timestamp()
  const task: Task = {
    ...start,
    key: arns.inCluster(start.clusterArn, 'task', id),
    lastStatus: 'PROVISIONING',
    desiredStatus: 'RUNNING',
    health: 'unknown',
    containers,
    ip: `10.0.${randomInt(256)}.${randomInt(4, 250)}`,
    attachmentId: randomUUID(),
    createdAt: now,
    updatedAt: now,
    version: 1,
    wakeAt: world.in(world.timing.provisionSeconds),
  }
  ecs(world).tasks.save(task)
  publishTask(world, task)
  return task
}

const newContainer = (taskId: string, { name = '', image = '' }: ContainerDefinition, digest: string) => ({
  name,
  image,
  digest,
  runtimeId: `${taskId}-${randomInt(1e9, 2 ** 32)}`,
})

/** Returns the behaviour of a definition's next task. One failing container is enough. */
export function behaviourOfTask(world: World, taskDefinitionArn: string): Behaviour {
  const containers = ecs(world).taskDefinitions.get(taskDefinitionArn)?.content.containerDefinitions ?? []
  const found = containers.map(({ image = '' }) => behaviourOf(world, image))
  return found.find((behaviour) => behaviour !== 'healthy') ?? 'healthy'
}

/** Stops a task. It is STOPPED when its targets are deregistered and its process has ended. */
export function stopTask(world: World, task: Task, stopCode: TaskStopCode, stoppedReason: string): void {
  if (task.desiredStatus === 'STOPPED') return
  for (const target of task.targets) setTargetHealth(world, target.targetGroupArn, task.ip, target.port, 'draining')
  Object.assign(task, { desiredStatus: 'STOPPED', stopCode, stoppedReason, stoppingAt: world.clock.timestamp() })
  move(world, task, 'DEACTIVATING', deactivatingSeconds(world, task))
}

/** Returns the deregistration time; tasks without targets need none. */
const deactivatingSeconds = ({ timing }: World, { targets }: Task): number =>
  targets.length > 0 ? timing.stopSeconds * share.deactivating : 0

/** Shares of `pullSeconds` and `stopSeconds` by status. */
const share = { pending: 0.2, activating: 0.8, deactivating: 0.4, deprovisioning: 0.2 }

/** Performs the next due transition of a task. */
export function advanceTask(world: World, task: Task): void {
  turns[task.lastStatus](world, task)
}

const turns: Record<Task['lastStatus'], (world: World, task: Task) => void> = {
  PROVISIONING: prepare,
  PENDING: activate,
  ACTIVATING: start,
  RUNNING: (world, task) => (task.behaviour === 'crash' || task.job ? exit(world, task) : checkHealth(world, task)),
  DEACTIVATING: endContainers,
  STOPPING: deprovision,
  DEPROVISIONING: end,
  STOPPED: (world, task) => ecs(world).tasks.remove(task),
}

function prepare(world: World, task: Task): void {
  const staysPending = task.behaviour === 'hang' || task.behaviour === 'no-capacity'
  move(world, task, 'PENDING', staysPending ? undefined : world.timing.pullSeconds * share.pending)
}

/** Pulls the images of a task and creates its containers. */
function activate(world: World, task: Task): void {
  move(world, task, 'ACTIVATING', world.timing.pullSeconds * share.activating)
}

function start(world: World, task: Task): void {
  const reason = task.behaviour === 'pull-error' ? noImage(task) : startError(world, task)
  if (reason === undefined) run(world, task)
  else failToStart(world, task, reason)
}

const noImage = ({ containers: [container] }: Task) =>
  `CannotPullContainerError: pull image manifest has been retried 1 time(s): failed to resolve ref ${container?.image}: not found`

function move(world: World, task: Task, lastStatus: Task['lastStatus'], seconds: number | undefined): void {
  const wakeAt = seconds === undefined ? undefined : world.in(seconds)
  Object.assign(task, { lastStatus, wakeAt, updatedAt: world.clock.timestamp(), version: task.version + 1 })
  ecs(world).tasks.save(task)
  publishTask(world, task)
}

function run(world: World, task: Task): void {
  task.startedAt = world.clock.timestamp()
  openTaskStreams(world, task)
  const isProgram = task.program !== undefined && task.behaviour !== 'crash'
  if (isProgram) startProgram(world, task, (exitCode) => programEnded(world, task.key, exitCode))
  for (const target of task.targets) registerTarget(world, target.targetGroupArn, task.ip, target.port)
  const { crashSeconds, unhealthySeconds, healthySeconds } = world.timing
  const service = serviceOf(world, task)
  const grace = service?.settings.healthCheckGracePeriodSeconds ?? 0
  const seconds = { crash: crashSeconds, unhealthy: Math.max(unhealthySeconds, grace) }
  const lasts = seconds[task.behaviour as keyof typeof seconds] ?? task.job?.seconds ?? healthySeconds
  move(world, task, 'RUNNING', isProgram ? undefined : lasts)
  for (const { targetGroupArn } of service ? task.targets : []) {
    if (service) recordServiceEvent(world, service, `registered 1 targets in (target-group ${targetGroupArn})`)
  }
}

function checkHealth(world: World, task: Task): void {
  const health = task.behaviour === 'unhealthy' ? 'unhealthy' : 'healthy'
  for (const target of task.targets) setTargetHealth(world, target.targetGroupArn, task.ip, target.port, health)
  task.health = health
  ecs(world).tasks.save(task)
  if (health === 'healthy') countHealthy(world, task)
  else replaceUnhealthy(world, task)
}

function replaceUnhealthy(world: World, task: Task): void {
  const service = serviceOf(world, task)
  const [target] = task.targets
  if (service && target) {
    const where = `(port ${target.port}) is unhealthy in (target-group ${target.targetGroupArn})`
    recordServiceEvent(world, service, `(task ${nameOf(task.key)}) ${where} due to (reason Health checks failed).`)
  }
  countFailure(world, task)
  const reason = target
    ? `Task failed ELB health checks in (target-group ${target.targetGroupArn})`
    : 'Task failed container health checks'
  stopTask(world, task, 'ServiceSchedulerInitiated', reason)
}

function failToStart(world: World, task: Task, reason: string): void {
  const [container] = task.containers
  if (container) container.reason = reason
  Object.assign(task, { desiredStatus: 'STOPPED', stopCode: 'TaskFailedToStart', stoppedReason: reason })
  task.stoppingAt = world.clock.timestamp()
  countFailure(world, task)
  deprovision(world, task)
}

function exit(world: World, task: Task): void {
  const ended = task.containers.filter(({ name }) => task.job === undefined || name === task.job.container)
  for (const container of ended) container.exitCode = task.behaviour === 'crash' ? 1 : (task.job?.exitCode ?? 1)
  if (task.health !== 'healthy') countFailure(world, task)
  stopTask(world, task, 'EssentialContainerExited', 'Essential container in task exited')
}

/** Handles the end of a task's process, by itself or because the task was stopped. */
function programEnded(world: World, taskArn: string, exitCode: number): void {
  const task = ecs(world).tasks.get(taskArn)
  if (!task || task.lastStatus === 'STOPPED') return
  for (const container of task.containers) container.exitCode = exitCode
  if (task.lastStatus === 'STOPPING') deprovision(world, task)
  else stopTask(world, task, 'EssentialContainerExited', 'Essential container in task exited')
}

/** Ends tasks whose processes were lost with their machine. */
export function loseHosts(world: World): void {
  for (const task of ecs(world).tasks.all()) {
    if (!task.program) continue
    if (task.lastStatus === 'RUNNING') stopTask(world, task, 'TerminationNotice', 'The host of the task is gone.')
    else if (task.lastStatus === 'STOPPING') deprovision(world, task)
    // Tasks in state files of earlier versions wait here for their program.
    else if (task.lastStatus === 'DEACTIVATING' && task.wakeAt === undefined) endContainers(world, task)
  }
}

/** Deregisters a task's targets and stops its containers. */
function endContainers(world: World, task: Task): void {
  for (const target of task.targets) deregisterTarget(world, target.targetGroupArn, task.ip, target.port)
  const seconds = world.timing.stopSeconds * (1 - share.deprovisioning) - deactivatingSeconds(world, task)
  // The end of the process calls `programEnded`.
  move(world, task, 'STOPPING', stopProgram(world, task) ? undefined : seconds)
}

/** Removes the network interface of a task whose containers have ended. */
function deprovision(world: World, task: Task): void {
  const wasRunning = task.startedAt !== undefined
  if (wasRunning) {
    // Containers still running were stopped: servers exit with 0, commands with 143 (SIGTERM).
    for (const container of task.containers) container.exitCode ??= task.job ? 143 : 0
    closeTaskStreams(world, task)
  }
  task.executionStoppedAt = world.clock.timestamp()
  move(world, task, 'DEPROVISIONING', world.timing.stopSeconds * share.deprovisioning)
}

function end(world: World, task: Task): void {
  task.stoppedAt = world.clock.timestamp()
  move(world, task, 'STOPPED', world.timing.stoppedTaskKeptSeconds)
}

const serviceOf = (world: World, task: Task) => (task.serviceArn ? ecs(world).services.get(task.serviceArn) : undefined)
