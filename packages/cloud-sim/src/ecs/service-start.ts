import type { LoadBalancer } from '@aws-sdk/client-ecs'
import { arns } from '../arns.ts'
import { digits, urlSafe } from '../ids.ts'
import { alarmsRinging } from '../monitoring/alarms.ts'
import type { World } from '../world.ts'
import { applyRollout, openDeployments } from './deployer.ts'
import { newRollout, phaseOf, type Rollout, requestStop, weightsOf } from './rollout.ts'
import { remainingTasks } from './scheduler.ts'
import type { Revision, RevisionSpec, Service, ServiceDeployment } from './service-records.ts'
import { ecs } from './state.ts'

/**
 * Starts a deployment of a new revision. It supersedes a deployment in progress, which is stopped first; a rollback in
 * progress completes first.
 */
export function startDeployment(world: World, service: Service, spec: RevisionSpec): void {
  const base = baseOf(world, service)
  const revision = newRevision(world, service, spec, base)
  giveUpOpenDeployments(world, service, 'Service deployment stopped because a newer service deployment was started.')
  const hasTasks = service.live.filter((arn) => remainingTasks(world, arn).length > 0)
  const sources = base && !hasTasks.includes(base) ? [base, ...hasTasks] : hasTasks
  const isNeeded = (arn: string) =>
    sources.includes(arn) || openDeployments(world, service).some(({ target }) => target === arn)
  service.live = [...service.live.filter(isNeeded), revision.key]
  service.primary = revision.key
  Object.assign(service, { failuresInARow: 0, retryAt: undefined, isSteady: false })
  const deployment = newDeployment(world, service, revision, base, sources)
  service.open.push(deployment.key)
  service.latest = deployment.key
  ecs(world).services.save(service)
}

export function giveUpOpenDeployments(world: World, service: Service, reason: string): void {
  for (const deployment of openDeployments(world, service)) {
    const stopping = requestStop(deployment.rollout, reason, world.clock.now())
    if (stopping !== deployment.rollout) applyRollout(world, service, deployment, stopping)
  }
}

function newDeployment(
  world: World,
  service: Service,
  revision: Revision,
  base: string | undefined,
  sources: string[],
): ServiceDeployment {
  const configuration = service.deploymentConfiguration
  const now = world.clock.timestamp()
  return ecs(world).serviceDeployments.save({
    key: arns.inCluster(service.clusterArn, 'service-deployment', service.name, urlSafe(21)),
    serviceArn: service.key,
    clusterArn: service.clusterArn,
    configuration,
    target: revision.key,
    base,
    sources,
    rollout: newRollout(configuration.strategy ?? 'ROLLING', world.clock.now()),
    failures: 0,
    isBreakerTriggered: false,
    alarms: isGuarded(world, service) ? { triggered: [] } : undefined,
    createdAt: now,
    updatedAt: now,
    listableAt: world.in(world.timing.listLagSeconds),
  })
}

/** Reports whether alarms guard the deployment: none is active at its start. */
function isGuarded(world: World, { scope, deploymentConfiguration: { alarms } }: Service): boolean {
  return alarms?.enable === true && alarmsRinging(world, scope, alarms.alarmNames ?? []).length === 0
}

function newRevision(world: World, service: Service, spec: RevisionSpec, base: string | undefined): Revision {
  const number = digits(19)
  const baseGroups = (base && ecs(world).revisions.get(base)?.targetGroups) || []
  const isRolling = (service.deploymentConfiguration.strategy ?? 'ROLLING') === 'ROLLING'
  const now = world.clock.timestamp()
  const key = arns.inCluster(service.clusterArn, 'service-revision', service.name, number)
  return ecs(world).revisions.save({
    key,
    number,
    serviceArn: service.key,
    spec,
    targetGroups: (spec.loadBalancers ?? []).map((one, index) => groupFor(one, baseGroups[index], isRolling)),
    createdAt: now,
    updatedAt: now,
    rolloutState: 'IN_PROGRESS',
    rolloutStateReason: `ECS deployment ecs-svc/${number} in progress.`,
    failedTasks: 0,
  })
}

/** Returns the target group for a new revision. The two groups swap roles with every traffic shift. */
function groupFor(loadBalancer: LoadBalancer, baseGroup: string | undefined, isRolling: boolean): string {
  const { targetGroupArn = '', advancedConfiguration } = loadBalancer
  const pair = [targetGroupArn, advancedConfiguration?.alternateTargetGroupArn ?? targetGroupArn]
  if (!baseGroup || !pair.includes(baseGroup)) return targetGroupArn
  if (isRolling) return baseGroup
  return pair.find((arn) => arn !== baseGroup) ?? targetGroupArn
}

/**
 * Returns the revision that a new deployment replaces and rolls back to: the last completed one, or the target of the
 * deployment in progress if it has most of the production traffic.
 */
function baseOf(world: World, service: Service): string | undefined {
  const [underWay] = openDeployments(world, service)
  if (underWay) return isAheadOfItsBase(underWay.rollout) ? underWay.target : underWay.base
  return service.live.findLast((arn) => ecs(world).revisions.get(arn)?.rolloutState === 'COMPLETED')
}

function isAheadOfItsBase(rollout: Rollout): boolean {
  if (rollout.direction === 'back') return false
  if (rollout.status === 'ROLLBACK_REQUESTED' && phaseOf(rollout)?.stage !== 'CLEAN_UP') return false
  return weightsOf(rollout).production > 50
}
