import {
  type DeploymentConfiguration,
  DescribeServiceRevisionsCommand,
  DescribeServicesCommand,
  type ECSClient,
  type LoadBalancer,
  type Service,
  UpdateServiceCommand,
} from '@aws-sdk/client-ecs'
import { present } from '../../../platform/present.ts'
import type {
  PrimaryDeployment,
  ServiceFacts,
  ServiceInEnvironment,
  ServiceRelease,
  TrafficShift,
} from '../../facts/ecs.ts'
import { isBalancedBetween, meshRoutingOf, type ServiceRouting } from '../../facts/ecs-configuration.ts'
import { CloudPermanentError, CloudTransientError, callCloud } from '../cloud-call.ts'
import { deploymentIdOf, listServiceDeployments } from './service-deployments.ts'

/** Returns the service. Throws if it does not exist or is not active. */
export async function findService(ecs: ECSClient, { clusterArn, serviceArn }: ServiceInEnvironment): Promise<Service> {
  const command = new DescribeServicesCommand({ cluster: clusterArn, services: [serviceArn] })
  const { services, failures } = await callCloud(() => ecs.send(command))
  const [service] = services ?? []
  if (service && service.status === 'ACTIVE') return service
  const why = failures?.[0]?.reason ?? service?.status ?? 'MISSING'
  throw new CloudPermanentError('ServiceNotFoundException', `There is no active service ${serviceArn} (${why}).`)
}

export const primaryOf = (service: Service): PrimaryDeployment | undefined => {
  const primary = primaryDeploymentOf(service)
  if (!primary?.id || !primary.taskDefinition) return undefined
  return { id: primary.id, taskDefinitionArn: primary.taskDefinition }
}

export const primaryDeploymentOf = ({ deployments }: Service) => deployments?.find(({ status }) => status === 'PRIMARY')

export const rolloutOf = (service: Service) => primaryDeploymentOf(service)?.rolloutState

/**
 * Returns how requests reach the service's tasks. Service Connect and VPC Lattice settings are in its deployments, not
 * in the service.
 */
export const routingOf = (service: Service): ServiceRouting => ({
  balancers: service.loadBalancers ?? [],
  ...meshRoutingOf(primaryDeploymentOf(service) ?? {}, service.serviceRegistries ?? []),
})

/** Age beyond which an earlier deployment cannot be Sluice's own or the target of a recent rollback. Milliseconds. */
const recentMs = 86_400_000

/** Reads the service before a release: its task definition, latest deployment and deployment settings. */
export async function readService(ecs: ECSClient, place: ServiceInEnvironment, now: Date): Promise<ServiceFacts> {
  const service = await findService(ecs, place)
  const [newest] = await listServiceDeployments(ecs, place, new Date(now.getTime() - recentMs))
  const isSettled = rolloutOf(service) === 'COMPLETED'
  const newestServiceDeploymentArn = newest?.serviceDeploymentArn
  const { deploymentController, schedulingStrategy, deploymentConfiguration: { alarms } = {} } = service
  return present({
    primary: primaryOf(service),
    isSettled,
    newestServiceDeploymentArn,
    controller: deploymentController?.type as string | undefined,
    schedulingStrategy: schedulingStrategy as string | undefined,
    routing: routingOf(service),
    alarmNames: alarms?.enable ? alarms.alarmNames : undefined,
  })
}

export type UpdateRequest = {
  release: ServiceRelease
  taskDefinitionArn: string
  /** Primary deployment before the update. */
  before: PrimaryDeployment | undefined
  /** Newest service deployment before the update. */
  newestBefore: string | undefined
  /** Earliest time at which the update can have been made. */
  since: Date
}

/** Returns the deployment id of Sluice's update to the service, if the service accepted the update. */
export async function findUpdate(ecs: ECSClient, request: UpdateRequest): Promise<string | undefined> {
  const { release, taskDefinitionArn, before } = request
  return updateIn(await findService(ecs, release), taskDefinitionArn, before) ?? (await findPastUpdate(ecs, request))
}

/** Maximum number of revisions per call ("DescribeServiceRevisions" in the API reference, read 2026-11). */
const maxDescribed = 20

/**
 * Finds the update in the deployment history, because an update that was rolled back or replaced meanwhile is no longer
 * the primary deployment.
 */
async function findPastUpdate(
  ecs: ECSClient,
  { release, taskDefinitionArn, newestBefore, since }: UpdateRequest,
): Promise<string | undefined> {
  const newestFirst = await listServiceDeployments(ecs, release, since)
  const known = newestFirst.findIndex(({ serviceDeploymentArn }) => serviceDeploymentArn === newestBefore)
  const newer = known < 0 ? newestFirst : newestFirst.slice(0, known)
  const revisions = newer.flatMap(({ targetServiceRevisionArn }) => targetServiceRevisionArn ?? [])
  // The list is newest first, and Sluice's update is older than its replacement.
  const serviceRevisionArns = revisions.slice(-maxDescribed)
  if (serviceRevisionArns.length === 0) return undefined
  const { serviceRevisions } = await callCloud(() =>
    ecs.send(new DescribeServiceRevisionsCommand({ serviceRevisionArns })),
  )
  const ours = serviceRevisions?.find(({ taskDefinition }) => taskDefinition === taskDefinitionArn)
  return ours?.serviceRevisionArn && deploymentIdOf(ours.serviceRevisionArn)
}

function updateIn(
  service: Service,
  taskDefinitionArn: string,
  before: PrimaryDeployment | undefined,
): string | undefined {
  const primary = primaryOf(service)
  const isOurs = primary && primary.id !== before?.id && primary.taskDefinitionArn === taskDefinitionArn
  return isOurs ? primary.id : undefined
}

/**
 * Updates the service to the task definition with the release's strategy. Omits `desiredCount`, which autoscaling
 * manages, and sends the whole deployment configuration, which replaces the stored one. Calls `beforeSend` before the
 * request that changes the service.
 */
export async function updateService(
  ecs: ECSClient,
  { release, taskDefinitionArn, before }: UpdateRequest,
  beforeSend: () => void,
): Promise<string> {
  const service = await findService(ecs, release)
  const loadBalancers = release.trafficShift && shifting(service, release.trafficShift)
  beforeSend()
  const command = new UpdateServiceCommand({
    cluster: release.clusterArn,
    service: release.serviceArn,
    taskDefinition: taskDefinitionArn,
    deploymentConfiguration: configurationOf(release, service.deploymentConfiguration),
    // Without force, ECS starts no deployment for the task definition that the service already runs.
    forceNewDeployment: before?.taskDefinitionArn === taskDefinitionArn,
    ...present({ loadBalancers }),
  })
  const answer = await callCloud(() => ecs.send(command), 'UpdateService')
  const id = answer.service && updateIn(answer.service, taskDefinitionArn, before)
  if (id === undefined) throw new CloudTransientError('The service does not show the update yet.')
  return id
}

/** Returns the service's load balancers with the traffic shift settings added, or undefined if they are already set. */
function shifting(service: Service, shift: TrafficShift): LoadBalancer[] | undefined {
  const advancedConfiguration = present({
    alternateTargetGroupArn: shift.alternateTargetGroupArn,
    productionListenerRule: shift.productionListenerRuleArn,
    testListenerRule: shift.testListenerRuleArn,
    roleArn: shift.infrastructureRoleArn,
  })
  const balancers = service.loadBalancers ?? []
  const ours = balancers.find((balancer) => isBalancedBetween(balancer, shift))
  if (!ours) {
    throw new CloudPermanentError(
      'InvalidParameterException',
      `The service has no target group ${shift.targetGroupArn}.`,
    )
  }
  const told = ours.advancedConfiguration
  const knows =
    told?.productionListenerRule === advancedConfiguration.productionListenerRule &&
    told.testListenerRule === shift.testListenerRuleArn &&
    told.roleArn === advancedConfiguration.roleArn &&
    // The two target groups swap roles with every release.
    [ours.targetGroupArn, told.alternateTargetGroupArn].includes(shift.alternateTargetGroupArn)
  if (knows) return undefined
  const primary = { ...ours, targetGroupArn: shift.targetGroupArn, advancedConfiguration }
  return balancers.map((balancer) => (balancer === ours ? primary : balancer))
}

/**
 * Returns the deployment configuration for a release. It replaces the stored one, so it repeats thresholds,
 * percentages, alarms and other settings that the release does not set.
 */
export function configurationOf(
  { strategy, alarms: names }: ServiceRelease,
  stored: DeploymentConfiguration = {},
): DeploymentConfiguration {
  const {
    strategy: _,
    bakeTimeInMinutes,
    lifecycleHooks = [],
    linearConfiguration: __,
    canaryConfiguration: ___,
    ...kept
  } = stored
  const alarms = names && { alarmNames: names, enable: names.length > 0, rollback: true }
  const common = { ...kept, deploymentCircuitBreaker: breakerOf(stored), ...present({ alarms }) }
  if (strategy.type === 'rolling') {
    // ECS accepts no hooks with this strategy, and another strategy's bake time does not apply to it.
    const bakeTime = (stored.strategy ?? 'ROLLING') === 'ROLLING' ? bakeTimeInMinutes : undefined
    return { ...common, strategy: 'ROLLING', lifecycleHooks: [], ...present({ bakeTimeInMinutes: bakeTime }) }
  }
  const { linear, canary, pauseStages } = strategy
  const pauses = pauseStages.map(({ stage, timeoutInMinutes, timeoutAction }) => ({
    targetType: 'PAUSE' as const,
    lifecycleStages: [stage] as NonNullable<DeploymentConfiguration['lifecycleHooks']>[number]['lifecycleStages'],
    timeoutConfiguration: { timeoutInMinutes, action: timeoutAction },
  }))
  return {
    ...common,
    strategy: strategy.type === 'blue_green' ? 'BLUE_GREEN' : strategy.type === 'linear' ? 'LINEAR' : 'CANARY',
    bakeTimeInMinutes: strategy.bakeTimeInMinutes,
    ...present({ linearConfiguration: linear, canaryConfiguration: canary }),
    lifecycleHooks: [...lifecycleHooks.filter(({ targetType }) => targetType !== 'PAUSE'), ...pauses],
  }
}

/** Returns the service's circuit breaker, or one that rolls back when too many tasks fail. */
const breakerOf = ({ deploymentCircuitBreaker: stored }: DeploymentConfiguration) =>
  stored?.enable ? stored : { ...stored, enable: true, rollback: true }
