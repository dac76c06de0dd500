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
import { isBalancedBetween, type ServiceRouting } from '../../facts/ecs-configuration.ts'
import { ask, CloudRefusal, CloudTrouble } from '../answer.ts'
import { deploymentIdOf, listServiceDeployments } from './service-deployments.ts'

/** The service, which must be there and active. */
export async function findService(ecs: ECSClient, { clusterArn, serviceArn }: ServiceInEnvironment): Promise<Service> {
  const command = new DescribeServicesCommand({ cluster: clusterArn, services: [serviceArn] })
  const { services, failures } = await ask(() => ecs.send(command))
  const [service] = services ?? []
  if (service && service.status === 'ACTIVE') return service
  const why = failures?.[0]?.reason ?? service?.status ?? 'MISSING'
  throw new CloudRefusal('ServiceNotFoundException', `There is no active service ${serviceArn} (${why}).`)
}

export const primaryOf = (service: Service): PrimaryDeployment | undefined => {
  const primary = primaryDeploymentOf(service)
  if (!primary?.id || !primary.taskDefinition) return undefined
  return { id: primary.id, taskDefinitionArn: primary.taskDefinition }
}

export const primaryDeploymentOf = ({ deployments }: Service) => deployments?.find(({ status }) => status === 'PRIMARY')

export const rolloutOf = (service: Service) => primaryDeploymentOf(service)?.rolloutState

/** How requests reach the tasks of the service: its deployments say whether by a mesh, the service itself does not. */
export function routingOf(service: Service): ServiceRouting {
  const { serviceConnectConfiguration, vpcLatticeConfigurations = [] } = primaryDeploymentOf(service) ?? {}
  const isInMesh = serviceConnectConfiguration?.enabled === true || vpcLatticeConfigurations.length > 0
  return { balancers: service.loadBalancers ?? [], isInMesh }
}

/** A release from before that can neither be mistaken for ours nor be what a rollback has just returned to. A day. */
const recentMs = 86_400_000

/** The service before a release: what it runs, its newest release, and what decides how a release of it goes. */
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
  /** The primary deployment before ours. */
  before: PrimaryDeployment | undefined
  /** The newest service deployment before ours. */
  newestBefore: string | undefined
  /** Since when ours may have been made. */
  since: Date
}

/** The id of the service's deployment that carries out our update, or did, if the service took it. */
export async function findUpdate(ecs: ECSClient, request: UpdateRequest): Promise<string | undefined> {
  const { release, taskDefinitionArn, before } = request
  return updateIn(await findService(ecs, release), taskDefinitionArn, before) ?? (await findPastUpdate(ecs, request))
}

/** So many revisions are described at once ("DescribeServiceRevisions" in the API reference, read 2026-11). */
const mostDescribed = 20

/**
 * One that was rolled back or replaced while we were away is not the primary deployment any more; the history has it.
 */
async function findPastUpdate(
  ecs: ECSClient,
  { release, taskDefinitionArn, newestBefore, since }: UpdateRequest,
): Promise<string | undefined> {
  const newestFirst = await listServiceDeployments(ecs, release, since)
  const known = newestFirst.findIndex(({ serviceDeploymentArn }) => serviceDeploymentArn === newestBefore)
  const newer = known < 0 ? newestFirst : newestFirst.slice(0, known)
  const revisions = newer.flatMap(({ targetServiceRevisionArn }) => targetServiceRevisionArn ?? [])
  // Ours was made before whatever replaced it.
  const serviceRevisionArns = revisions.slice(-mostDescribed)
  if (serviceRevisionArns.length === 0) return undefined
  const { serviceRevisions } = await ask(() => ecs.send(new DescribeServiceRevisionsCommand({ serviceRevisionArns })))
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
 * Brings the service to the task definition, by the release's strategy. Sends no `desiredCount`, which belongs to
 * autoscaling, and the whole deployment configuration, which replaces the stored one.
 * `beforeSend` is called before the request that changes the service.
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
    // The service runs this very task definition already: without force nothing would be released.
    forceNewDeployment: before?.taskDefinitionArn === taskDefinitionArn,
    ...present({ loadBalancers }),
  })
  const answer = await ask(() => ecs.send(command), 'UpdateService')
  const id = answer.service && updateIn(answer.service, taskDefinitionArn, before)
  if (id === undefined) throw new CloudTrouble('The service does not show the update yet.')
  return id
}

/** The service's load balancers, told between what traffic is shifted; undefined where they know it already. */
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
    throw new CloudRefusal('InvalidParameterException', `The service has no target group ${shift.targetGroupArn}.`)
  }
  const told = ours.advancedConfiguration
  const knows =
    told?.productionListenerRule === advancedConfiguration.productionListenerRule &&
    told.testListenerRule === shift.testListenerRuleArn &&
    told.roleArn === advancedConfiguration.roleArn &&
    // The two groups swap roles with every release.
    [ours.targetGroupArn, told.alternateTargetGroupArn].includes(shift.alternateTargetGroupArn)
  if (knows) return undefined
  const primary = { ...ours, targetGroupArn: shift.targetGroupArn, advancedConfiguration }
  return balancers.map((balancer) => (balancer === ours ? primary : balancer))
}

/**
 * The deployment configuration of a release. It replaces the stored one whole, so everything that the release does not
 * set stays as it is on the service: thresholds, percentages, alarms, early success criteria, hooks of others.
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
    // Hooks are not accepted with this strategy, and a bake time of another one means nothing to it.
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

/** Where the service has no breaker of its own, the cloud's returns to the version before when tasks fail too often. */
const breakerOf = ({ deploymentCircuitBreaker: stored }: DeploymentConfiguration) =>
  stored?.enable ? stored : { ...stored, enable: true, rollback: true }
