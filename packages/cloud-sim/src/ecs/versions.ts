import { findRule, weightsIn } from '../elb/weights.ts'
import type { World } from '../world.ts'
import { advanceService, openDeployments } from './deployer.ts'
import { weightsOf } from './rollout.ts'
import { remainingTasks } from './scheduler.ts'
import type { Revision, Service } from './service-records.ts'
import { startDeployment } from './service-start.ts'
import { ecs, type Task } from './state.ts'

/** Version of a service with its tasks and share of requests. */
export interface ServiceVersion {
  revisionArn: string
  taskDefinitionArn: string
  /** Number of tasks that have not stopped. */
  taskCount: number
  /** Number of tasks that are healthy by the load balancer, or else by the service. */
  healthyCount: number
  /** Percentage of all requests that it receives. */
  trafficPercent: number
  /** Percentage of the requests that reach failing tasks. */
  errorPercent: number
}

/** Returns the versions of a service that have tasks or receive requests, oldest first. */
export function versionsOf(world: World, serviceArn: string): ServiceVersion[] {
  const service = ecs(world).services.get(serviceArn)
  if (!service) return []
  const revisions = service.live.flatMap((arn) => ecs(world).revisions.get(arn) ?? [])
  const tasks = new Map(revisions.map((revision) => [revision, remainingTasks(world, revision.key)]))
  const shares = sharesOf(world, service, tasks)
  return revisions.flatMap((revision) => {
    const own = tasks.get(revision) ?? []
    const trafficPercent = shares.get(revision) ?? 0
    if (own.length === 0 && trafficPercent === 0) return []
    const serving = own.filter(isServing)
    const failing = serving.filter(({ behaviour }) => behaviour !== 'healthy')
    const errorShare = serving.length === 0 ? 1 : failing.length / serving.length
    return {
      revisionArn: revision.key,
      taskDefinitionArn: revision.spec.taskDefinition,
      taskCount: own.length,
      healthyCount: serving.length,
      trafficPercent,
      errorPercent: trafficPercent * errorShare,
    }
  })
}

/** Makes the running tasks of a task definition fail their next health checks. */
export function failRunningTasks(world: World, taskDefinitionArn: string): void {
  for (const task of ecs(world).tasks.all()) {
    if (task.taskDefinitionArn !== taskDefinitionArn || task.lastStatus !== 'RUNNING') continue
    const wakeAt = world.in(world.timing.unhealthySeconds)
    ecs(world).tasks.save(Object.assign(task, { behaviour: 'unhealthy' as const, wakeAt }))
  }
}

/** Starts an external deployment of the service's previous version. */
export function releaseExternally(world: World, serviceArn: string): void {
  const service = ecs(world).services.get(serviceArn)
  const before = service && ecs(world).revisions.get(service.live[0] ?? '')
  if (!service || !before) throw new Error(`The service ${serviceArn} runs nothing.`)
  startDeployment(world, service, before.spec)
  advanceService(world, serviceArn)
}

const isServing = ({ lastStatus, health }: Task): boolean => lastStatus === 'RUNNING' && health === 'healthy'

type TasksByRevision = ReadonlyMap<Revision, readonly Task[]>

/** Returns the percentage of requests by revision. */
function sharesOf(world: World, service: Service, tasks: TasksByRevision): Map<Revision, number> {
  const byGroup = groupShares(world, tasks)
  if (byGroup) return splitByGroup(byGroup, tasks)
  const [deployment] = openDeployments(world, service)
  if (!deployment || deployment.rollout.strategy === 'ROLLING') return split(100, [...tasks.keys()], tasks)
  const { production } = weightsOf(deployment.rollout)
  const revisions = [...tasks.keys()]
  const share = ({ key }: Revision) => (key === deployment.target ? production : 100 - production)
  const served = revisions.filter(({ key }) => key === deployment.target || key === deployment.base)
  return new Map(served.map((revision) => [revision, share(revision)]))
}

/** Returns the percentage of requests by target group, from the production listener rules. */
function groupShares(world: World, tasks: TasksByRevision): Map<string, number> | undefined {
  const balancers = [...tasks.keys()].flatMap(({ spec }) => spec.loadBalancers ?? [])
  const ruleArn = balancers.map((one) => one.advancedConfiguration?.productionListenerRule).find((arn) => arn)
  const rule = ruleArn === undefined ? undefined : findRule(world, ruleArn)
  if (!rule) return undefined
  const weights = Object.entries(weightsIn(rule))
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  return new Map(weights.map(([arn, weight]) => [arn, total === 0 ? 0 : (weight / total) * 100]))
}

/** Splits the requests of a target group among its revisions. */
function splitByGroup(byGroup: ReadonlyMap<string, number>, tasks: TasksByRevision): Map<Revision, number> {
  const shares = new Map<Revision, number>()
  for (const [arn, percent] of byGroup) {
    const inGroup = [...tasks.keys()].filter(({ targetGroups }) => targetGroups[0] === arn)
    for (const [revision, share] of split(percent, inGroup, tasks)) shares.set(revision, share)
  }
  return shares
}

/** Distributes requests evenly over serving tasks; without any, to the newest version. */
function split(percent: number, revisions: readonly Revision[], tasks: TasksByRevision): Map<Revision, number> {
  const counts = revisions.map((revision) => (tasks.get(revision) ?? []).filter(isServing).length)
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return new Map(revisions.slice(-1).map((revision) => [revision, percent]))
  return new Map(revisions.map((revision, index) => [revision, ((counts[index] ?? 0) / total) * percent]))
}
