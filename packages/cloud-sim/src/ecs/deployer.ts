import { nameOf } from '../arns.ts'
import { publishDeployment, publishHook, publishServiceAction } from '../events/ecs-events.ts'
import { urlSafe } from '../ids.ts'
import { isFunction } from '../lambda/records.ts'
import { alarmsRinging, bakeMinutesOf } from '../monitoring/alarms.ts'
import type { World } from '../world.ts'
import { isBroken } from './breaker.ts'
import { isFinal, nextRollout, type Rollout, type RolloutFacts, wakeAt } from './rollout.ts'
import { healthyTasks, remainingTasks, schedule, wantedTasks } from './scheduler.ts'
import { recordServiceEvent } from './service-events.ts'
import { deploymentIdOf, type Service, type ServiceDeployment } from './service-records.ts'
import { ecs } from './state.ts'
import { summaryOf } from './summaries.ts'
import { invalidNetworking, shiftTraffic } from './traffic.ts'

/**
 * Advances a service: its deployments, and the tasks that they start and stop. Called after every event that may affect
 * the service. The clock is frozen meanwhile; otherwise, something that becomes due before the wake-up is set would be
 * missed.
 */
export function advanceService(world: World, serviceArn: string): void {
  const service = ecs(world).services.get(serviceArn)
  if (service) world.clock.at(world.clock.now(), () => tendNow(world, service))
}

function tendNow(world: World, service: Service): void {
  if (!service.primary) {
    if (service.status === 'DRAINING') ecs(world).services.save(Object.assign(service, { status: 'INACTIVE' }))
    return
  }
  let hasMoved = true
  while (hasMoved) {
    hasMoved = openDeployments(world, service).some((deployment) => moveOn(world, service, deployment))
    schedule(world, service)
  }
  for (const deployment of openDeployments(world, service)) {
    const at = nextCheck(world, deployment)
    if (at !== deployment.wakeAt) ecs(world).serviceDeployments.save(Object.assign(deployment, { wakeAt: at }))
  }
  noteRest(world, service)
}

/** Returns the time of the next check: the deployment's next timed step, or a poll of its alarms. */
function nextCheck(world: World, { rollout, alarms }: ServiceDeployment): number | undefined {
  const now = world.clock.now()
  const at = wakeAt(rollout, { now, pace: world.timing })
  if (!alarms || rollout.status !== 'IN_PROGRESS') return at
  return Math.min(at ?? Number.POSITIVE_INFINITY, now + alarmPollSeconds * 1000)
}

/** Interval at which ECS polls the alarms of a deployment in progress. */
const alarmPollSeconds = 15

export const openDeployments = (world: World, service: Service): ServiceDeployment[] =>
  service.open.flatMap((arn) => ecs(world).serviceDeployments.get(arn) ?? [])

function moveOn(world: World, service: Service, deployment: ServiceDeployment): boolean {
  const after = nextRollout(deployment.rollout, factsFor(world, service, deployment))
  if (!after) return false
  applyRollout(world, service, deployment, after)
  return true
}

function factsFor(world: World, service: Service, deployment: ServiceDeployment): RolloutFacts {
  const { target, base, configuration } = deployment
  const hasTasks = (arn: string) => remainingTasks(world, arn).length > 0
  const isUp = (arn: string) => {
    const healthy = healthyTasks(world, arn).length
    return healthy >= service.desiredCount && wantedTasks(world, arn).length === healthy
  }
  const breaker = configuration.deploymentCircuitBreaker
  return {
    now: world.clock.now(),
    pace: world.timing,
    configuration,
    predecessorsAreOver: service.open[0] === deployment.key,
    hasStrays: service.live.some((arn) => arn !== target && arn !== base && hasTasks(arn)),
    alarmBakeMinutes: deployment.alarms ? bakeMinutesOf(world, service.scope, configuration.alarms?.alarmNames) : 0,
    hasBase: base !== undefined,
    targetIsUp: isUp(target),
    targetIsGone: !hasTasks(target),
    baseIsUp: base !== undefined && isUp(base),
    othersAreGone: !service.live.some((arn) => arn !== target && hasTasks(arn)),
    failure: isBroken(deployment, service.desiredCount)
      ? brokenBy(breaker?.rollback === true)
      : (alarmedBy(world, service, deployment) ?? misrouted(world, deployment)),
    newHookId: () => `ecs-pause-${urlSafe(43)}`,
    isFunction: (arn) => arn !== undefined && isFunction(world, service.scope, arn),
  }
}

/** Returns a failure if one of the deployment's alarms is in alarm. */
function alarmedBy(world: World, service: Service, deployment: ServiceDeployment): RolloutFacts['failure'] {
  const { alarmNames = [], rollback = false } = deployment.configuration.alarms ?? {}
  const { alarms, rollout } = deployment
  if (!alarms || rollout.status !== 'IN_PROGRESS') return undefined
  alarms.triggered = alarmsRinging(world, service.scope, alarmNames)
  if (alarms.triggered.length === 0) return undefined
  const what = rollback ? 'rolled back' : 'stopped'
  return { reason: `Service deployment ${what} because of alarm(s): ${alarms.triggered.join(', ')}.`, rollback }
}

/** Returns a failure with rollback if listener rules send traffic elsewhere. */
function misrouted(world: World, deployment: ServiceDeployment): RolloutFacts['failure'] {
  const reason = invalidNetworking(world, deployment)
  return reason === undefined ? undefined : { reason, rollback: true }
}

const brokenBy = (rollback: boolean) => ({
  rollback,
  reason: rollback
    ? 'Service deployment rolled back because the circuit breaker threshold was exceeded.'
    : 'Service deployment stopped because the circuit breaker threshold was exceeded.',
})

/** Applies a new deployment state: traffic, revisions and events. */
export function applyRollout(world: World, service: Service, deployment: ServiceDeployment, after: Rollout): void {
  const before = deployment.rollout
  deployment.rollout = after
  deployment.updatedAt = world.clock.timestamp()
  for (const hook of after.hooks) {
    const old = before.hooks.find(({ hookId }) => hookId === hook.hookId)
    if (hook.targetType === 'PAUSE' && old?.status !== hook.status) publishHook(world, deployment, hook)
  }
  if (after.visit !== before.visit) shiftTraffic(world, deployment)
  if (after.status !== before.status) changeStatus(world, service, deployment)
  ecs(world).serviceDeployments.save(deployment)
}

function changeStatus(world: World, service: Service, deployment: ServiceDeployment): void {
  const { status } = deployment.rollout
  if (status === 'IN_PROGRESS') {
    deployment.startedAt = world.clock.timestamp()
    publishDeployment(world, deployment, 'INFO', 'SERVICE_DEPLOYMENT_IN_PROGRESS')
  }
  if (status === 'ROLLBACK_IN_PROGRESS') rollBackDeployment(world, service, deployment)
  if (status === 'STOPPED') stopHere(world, service, deployment)
  if (isFinal(status)) finish(world, service, deployment)
}

/** Restores the previous revision, unless a newer one already waits to be deployed. */
function rollBackDeployment(world: World, service: Service, deployment: ServiceDeployment): void {
  const { target, base, rollout } = deployment
  const reason = rollout.rollbackReason ?? ''
  deployment.rollback = { reason, startedAt: world.clock.timestamp(), serviceRevisionArn: base }
  const baseRevision = base ? ecs(world).revisions.get(base) : undefined
  const cause = isBroken(deployment, service.desiredCount) ? 'ECS deployment circuit breaker: ' : ''
  if (cause) failDeployment(world, service, deployment)
  setRollout(world, target, 'FAILED', cause ? `${cause}tasks failed to start.` : reason)
  if (!baseRevision) return
  const back = `${cause}rolling back to deploymentId ${deploymentIdOf(baseRevision)}.`
  publishDeployment(world, deployment, 'INFO', 'SERVICE_DEPLOYMENT_IN_PROGRESS', back)
  recordServiceEvent(world, service, `rolling back to deployment ${deploymentIdOf(baseRevision)}.`)
  if (service.primary !== target) return
  service.primary = baseRevision.key
  service.failuresInARow = 0
  service.retryAt = undefined
  setRollout(world, baseRevision.key, 'IN_PROGRESS', back)
}

/** Stops a deployment. Unless it was superseded, the service keeps its tasks with a failed revision. */
function stopHere(world: World, service: Service, deployment: ServiceDeployment): void {
  if (service.primary !== deployment.target) return
  if (isBroken(deployment, service.desiredCount)) failDeployment(world, service, deployment)
  setRollout(world, deployment.target, 'FAILED', deployment.rollout.statusReason ?? '')
}

function failDeployment(world: World, service: Service, deployment: ServiceDeployment): void {
  deployment.isBreakerTriggered = true
  const reason = 'ECS deployment circuit breaker: tasks failed to start.'
  publishDeployment(world, deployment, 'ERROR', 'SERVICE_DEPLOYMENT_FAILED', reason)
  recordServiceEvent(
    world,
    service,
    `(deployment ecs-svc/${nameOf(deployment.target)}) deployment failed: tasks failed to start.`,
  )
}

function finish(world: World, service: Service, deployment: ServiceDeployment): void {
  const { status } = deployment.rollout
  const now = world.clock.timestamp()
  if (status === 'STOPPED') deployment.stoppedAt = now
  deployment.finishedAt = now
  if (status === 'SUCCESSFUL') complete(world, service, deployment, deployment.target)
  if (status === 'ROLLBACK_SUCCESSFUL' && deployment.base) complete(world, service, deployment, deployment.base)
  deployment.ended = {
    target: summaryOf(world, service, deployment, deployment.target),
    sources: deployment.sources.map((arn) => summaryOf(world, service, deployment, arn)),
  }
  service.open = service.open.filter((arn) => arn !== deployment.key)
  service.live = service.live.filter((arn) => arn === service.primary || isStillLive(world, service, arn))
  ecs(world).services.save(service)
}

/**
 * Reports whether a revision is still needed: it has tasks, an open deployment uses it, or it failed and no deployment
 * followed.
 */
function isStillLive(world: World, service: Service, arn: string): boolean {
  if (remainingTasks(world, arn).length > 0) return true
  if (ecs(world).revisions.get(arn)?.rolloutState === 'FAILED') return true
  return openDeployments(world, service).some(({ target, base }) => arn === target || arn === base)
}

function complete(world: World, service: Service, deployment: ServiceDeployment, revisionArn: string): void {
  const id = `ecs-svc/${nameOf(revisionArn)}`
  if (service.primary === deployment.target || service.primary === revisionArn) service.primary = revisionArn
  setRollout(world, revisionArn, 'COMPLETED', `ECS deployment ${id} completed.`)
  publishDeployment(world, deployment, 'INFO', 'SERVICE_DEPLOYMENT_COMPLETED', `ECS deployment ${id} completed.`, id)
  recordServiceEvent(world, service, `(deployment ${id}) deployment completed.`)
}

function setRollout(world: World, arn: string, rolloutState: 'IN_PROGRESS' | 'COMPLETED' | 'FAILED', reason: string) {
  const revision = ecs(world).revisions.get(arn)
  if (!revision) return
  const updatedAt = world.clock.timestamp()
  ecs(world).revisions.save(Object.assign(revision, { rolloutState, rolloutStateReason: reason, updatedAt }))
}

/** Records when a service becomes stable: all requested tasks run, and no others. */
function noteRest(world: World, service: Service): void {
  const { status, isSteady: wasSteady } = service
  const left = service.live.filter((arn) => arn !== service.primary).flatMap((arn) => remainingTasks(world, arn))
  if (service.status === 'DRAINING' && left.length === 0 && remainingTasks(world, service.primary).length === 0) {
    service.status = 'INACTIVE'
  }
  service.isSteady =
    service.status === 'ACTIVE' &&
    service.open.length === 0 &&
    left.length === 0 &&
    healthyTasks(world, service.primary).length === service.desiredCount
  if (service.isSteady && !wasSteady) {
    recordServiceEvent(world, service, 'has reached a steady state.')
    publishServiceAction(world, service, 'INFO', 'SERVICE_STEADY_STATE')
  }
  if (service.isSteady !== wasSteady || service.status !== status) ecs(world).services.save(service)
}
