import { nameOf } from '../arns.ts'
import type { World } from '../world.ts'
import { phaseOf, type Rollout } from './rollout.ts'
import { recordServiceEvent } from './service-events.ts'
import { deploymentIdOf, type Revision, type Service, type ServiceDeployment } from './service-records.ts'
import { stages } from './stages.ts'
import { ecs, type Task } from './state.ts'
import { startTask, stopTask } from './task-life.ts'

/** Goal of the scheduler: task counts per revision, or one revision that replaces all others. */
type Aim = { counts: Map<string, number> } | { takeOver: string } | undefined

/** Returns a revision's tasks that are not stopping. */
export const wantedTasks = (world: World, revisionArn: string): Task[] =>
  ecs(world)
    .tasks.having('revision', revisionArn)
    .filter((task) => task.desiredStatus === 'RUNNING')

/** Returns a revision's tasks that have not stopped. */
export const remainingTasks = (world: World, revisionArn: string): Task[] =>
  ecs(world)
    .tasks.having('revision', revisionArn)
    .filter((task) => task.lastStatus !== 'STOPPED')

export const healthyTasks = (world: World, revisionArn: string): Task[] =>
  wantedTasks(world, revisionArn).filter((task) => task.health === 'healthy')

/** Starts and stops tasks to bring the service closer to its goal. */
export function schedule(world: World, service: Service): void {
  const aim = aimOf(world, service)
  if (!aim) return
  if ('takeOver' in aim) takeOver(world, service, aim.takeOver)
  else for (const [revisionArn, count] of aim.counts) bringTo(world, service, revisionArn, count)
}

/** Returns the desired count of a revision, as the API reports it. */
export function requestedCount(world: World, service: Service, revisionArn: string): number {
  const aim = aimOf(world, service)
  if (!aim) return wantedTasks(world, revisionArn).length
  if ('takeOver' in aim) {
    return aim.takeOver === revisionArn ? service.desiredCount : wantedTasks(world, revisionArn).length
  }
  return aim.counts.get(revisionArn) ?? 0
}

function aimOf(world: World, service: Service): Aim {
  if (service.status !== 'ACTIVE') return { counts: new Map(service.live.map((arn) => [arn, 0])) }
  const [first] = service.open
  const deployment = first ? ecs(world).serviceDeployments.get(first) : undefined
  if (deployment) return aimOfDeployment(service, deployment)
  // No more tasks are launched.
  if (ecs(world).revisions.get(service.primary)?.rolloutState === 'FAILED') return undefined
  const counts = new Map(service.live.map((arn) => [arn, 0]))
  return { counts: counts.set(service.primary, service.desiredCount) }
}

function aimOfDeployment(service: Service, { rollout, target, base }: ServiceDeployment): Aim {
  if (rollout.status === 'PENDING' || rollout.status === 'STOP_REQUESTED') return undefined
  if (rollout.status === 'ROLLBACK_REQUESTED' && phaseOf(rollout)?.stage !== 'CLEAN_UP') return undefined
  const isBack = rollout.direction === 'back'
  if (rollout.strategy === 'ROLLING' && (!isBack || base)) return { takeOver: isBack ? (base ?? '') : target }
  const counts = new Map(service.live.map((arn) => [arn, 0]))
  if (base) counts.set(base, !isBack && isIn(rollout, 'CLEAN_UP') ? 0 : service.desiredCount)
  counts.set(target, targetIsRunning(rollout) ? service.desiredCount : 0)
  return { counts }
}

const isIn = (rollout: Rollout, stage: string) => phaseOf(rollout)?.stage === stage

function targetIsRunning(rollout: Rollout): boolean {
  const stage = phaseOf(rollout)?.stage ?? 'RECONCILE_SERVICE'
  if (rollout.direction === 'back') return stage !== 'CLEAN_UP' && stage !== 'REPLACE_TASKS'
  return stages.indexOf(stage) >= stages.indexOf('SCALE_UP')
}

function bringTo(world: World, service: Service, revisionArn: string, count: number): void {
  const tasks = wantedTasks(world, revisionArn)
  if (tasks.length < count) start(world, service, revisionArn, count - tasks.length)
  if (tasks.length > count) stop(world, service, tasks.slice(count))
}

/**
 * Replaces tasks within the limits of the deployment configuration. (Developer guide, "Deploy Amazon ECS services by
 * replacing tasks": minimum rounded up, maximum rounded down.)
 */
function takeOver(world: World, service: Service, revisionArn: string): void {
  const { minimumHealthyPercent = 100, maximumPercent = 200 } = service.deploymentConfiguration
  const most = Math.floor((service.desiredCount * maximumPercent) / 100)
  const fewest = Math.ceil((service.desiredCount * minimumHealthyPercent) / 100)
  const ours = wantedTasks(world, revisionArn)
  const others = service.live.filter((arn) => arn !== revisionArn).flatMap((arn) => wantedTasks(world, arn))
  const isHealthy = (task: Task) => task.health === 'healthy'
  const spare = Math.max(0, ours.filter(isHealthy).length + others.filter(isHealthy).length - fewest)
  const unhealthy = others.filter((task) => !isHealthy(task))
  const toStop = [...unhealthy, ...others.filter(isHealthy).slice(0, spare)]
  const missing = service.desiredCount - ours.length
  const room = most - ours.length - (others.length - toStop.length)
  if (toStop.length > 0) stop(world, service, toStop)
  if (missing < 0) stop(world, service, ours.slice(service.desiredCount))
  if (missing > 0 && room > 0) start(world, service, revisionArn, Math.min(missing, room))
  if (missing > 0 && room <= 0 && toStop.length === 0 && others.length > 0) noteStuck(world, service, ours)
}

/** Records an event once if the limits allow neither stopping nor starting tasks. */
function noteStuck(world: World, service: Service, ours: Task[]): void {
  const message =
    'was unable to stop or start tasks during a deployment because of the service deployment configuration. Update the minimumHealthyPercent or maximumPercent value and try again.'
  const newest = ecs(world).eventLogs.get(service.key)?.events[0]?.message ?? ''
  if (ours.every((task) => task.health === 'healthy') && !newest.endsWith(message))
    recordServiceEvent(world, service, message)
}

function start(world: World, service: Service, revisionArn: string, count: number): void {
  const revision = ecs(world).revisions.get(revisionArn)
  if (!revision || isPausing(world, service)) return
  const started = Array.from({ length: count }, () => startTask(world, service, revision))
  recordServiceEvent(world, service, `${of(revision)}has started ${count} tasks: ${listed(started)}.`)
}

const isPausing = (world: World, { retryAt }: Service) => retryAt !== undefined && retryAt > world.clock.now()

function stop(world: World, service: Service, tasks: Task[]): void {
  const [first] = tasks
  const revision = first?.revisionArn ? ecs(world).revisions.get(first.revisionArn) : undefined
  if (!revision) return
  if (tasks.some((task) => task.targets.length > 0 && task.lastStatus === 'RUNNING')) {
    recordServiceEvent(world, service, `has begun draining connections on ${tasks.length} tasks.`)
  }
  for (const task of tasks) {
    stopTask(world, task, 'ServiceSchedulerInitiated', stopReason(service, task))
  }
  recordServiceEvent(world, service, `has stopped ${tasks.length} running tasks: ${listed(tasks)}.`)
}

function stopReason(service: Service, task: Task): string {
  const id = task.startedBy ?? ''
  const isOld = task.revisionArn !== service.primary
  return isOld ? `Scaling activity initiated by deployment ${id}` : 'Scaling activity initiated by service scheduler'
}

const of = (revision: Revision) => `(deployment ${deploymentIdOf(revision)}) `
const listed = (tasks: Task[]) => tasks.map((task) => `(task ${nameOf(task.key)})`).join(' ')
