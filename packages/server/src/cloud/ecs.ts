import {
  ContinueServiceDeploymentCommand,
  type DeploymentConfiguration,
  DescribeServiceDeploymentsCommand,
  DescribeServiceRevisionsCommand,
  DescribeServicesCommand,
  DescribeTaskDefinitionCommand,
  type ECSClient,
  ListServiceDeploymentsCommand,
  ListTaskDefinitionsCommand,
  type LoadBalancer,
  RegisterTaskDefinitionCommand,
  type RegisterTaskDefinitionCommandInput,
  type Service,
  type ServiceDeployment,
  type ServiceDeploymentBrief,
  type ServiceRevisionSummary,
  StopServiceDeploymentCommand,
  type TaskDefinition,
  UpdateServiceCommand,
} from '@aws-sdk/client-ecs'
import type { ServiceDeploymentState, ServiceRevision, TaskDefinitionRecord } from '@sluice/contract'
import type {
  HookSnapshot,
  PrimaryDeployment,
  ServiceDeploymentSnapshot,
  ServiceFacts,
} from '../deployments/ecs/snapshot.ts'
import { trafficPhaseOf } from '../deployments/ecs/track.ts'
import type { EcsRelease, TrafficShift } from '../deployments/release.ts'
import { present } from '../platform/present.ts'
import { ask, CloudRefusal, CloudTrouble } from './answer.ts'

/** The tag by which a task definition is found again when the answer to its registration was lost. */
const deploymentTag = 'sluice:deployment-id'

type Place = Pick<EcsRelease, 'clusterArn' | 'serviceArn'>

async function findService(ecs: ECSClient, { clusterArn, serviceArn }: Place): Promise<Service> {
  const command = new DescribeServicesCommand({ cluster: clusterArn, services: [serviceArn] })
  const { services, failures } = await ask(() => ecs.send(command))
  const [service] = services ?? []
  if (service && service.status === 'ACTIVE') return service
  const why = failures?.[0]?.reason ?? service?.status ?? 'MISSING'
  throw new CloudRefusal('ServiceNotFoundException', `There is no active service ${serviceArn} (${why}).`)
}

const primaryOf = (service: Service): PrimaryDeployment | undefined => {
  const primary = service.deployments?.find((deployment) => deployment.status === 'PRIMARY')
  if (!primary?.id || !primary.taskDefinition) return undefined
  return { id: primary.id, taskDefinitionArn: primary.taskDefinition }
}

/** What the service is now: its primary deployment, the task definition that it runs, and its newest release. */
export async function readService(ecs: ECSClient, place: Place): Promise<ServiceFacts> {
  const primary = primaryOf(await findService(ecs, place))
  const [current, [newest]] = await Promise.all([
    primary && readTaskDefinition(ecs, primary.taskDefinitionArn),
    listServiceDeployments(ecs, place, 1),
  ])
  return present({ primary, current, newestServiceDeploymentArn: newest?.serviceDeploymentArn })
}

async function readTaskDefinition(ecs: ECSClient, taskDefinition: string): Promise<TaskDefinitionRecord> {
  const answer = await ask(() => ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition })))
  return recordOf(answer.taskDefinition)
}

function recordOf(definition: TaskDefinition | undefined): TaskDefinitionRecord {
  if (!definition?.taskDefinitionArn || definition.revision === undefined) {
    throw new CloudTrouble('The cloud answered without a task definition.')
  }
  // Through JSON, because the record is stored and shown as JSON: dates become text, absent members go.
  const plain = JSON.parse(JSON.stringify(definition)) as Record<string, unknown>
  return { arn: definition.taskDefinitionArn, revision: definition.revision, definition: plain }
}

/** Registers the release's task definition under the deployment's id. */
export async function registerTaskDefinition(
  ecs: ECSClient,
  request: Record<string, unknown>,
  deploymentId: string,
): Promise<TaskDefinitionRecord> {
  const given = request as unknown as RegisterTaskDefinitionCommandInput
  const tags = [...(given.tags ?? []), { key: deploymentTag, value: deploymentId }]
  const answer = await ask(() => ecs.send(new RegisterTaskDefinitionCommand({ ...given, tags })))
  return recordOf(answer.taskDefinition)
}

/** How many of the family's newest revisions are searched: those that others can have registered meanwhile. */
const searchedRevisions = 10

/** The task definition that an earlier attempt of this deployment registered, if one did. */
export async function findTaskDefinition(
  ecs: ECSClient,
  familyPrefix: string,
  deploymentId: string,
): Promise<TaskDefinitionRecord | undefined> {
  const list = new ListTaskDefinitionsCommand({ familyPrefix, sort: 'DESC', maxResults: searchedRevisions })
  const { taskDefinitionArns } = await ask(() => ecs.send(list))
  for (const taskDefinition of taskDefinitionArns ?? []) {
    const describe = new DescribeTaskDefinitionCommand({ taskDefinition, include: ['TAGS'] })
    const answer = await ask(() => ecs.send(describe))
    const isOurs = answer.tags?.some(({ key, value }) => key === deploymentTag && value === deploymentId)
    if (isOurs) return recordOf(answer.taskDefinition)
  }
  return undefined
}

export type UpdateRequest = {
  release: EcsRelease
  taskDefinitionArn: string
  /** The primary deployment before ours. */
  before: PrimaryDeployment | undefined
  /** The newest service deployment before ours. */
  newestBefore: string | undefined
}

/** The id of the service's deployment that carries out our update, or did, if the service took it. */
export async function findUpdate(ecs: ECSClient, request: UpdateRequest): Promise<string | undefined> {
  const { release, taskDefinitionArn, before } = request
  return updateIn(await findService(ecs, release), taskDefinitionArn, before) ?? (await findPastUpdate(ecs, request))
}

/** One that was rolled back or replaced while we were away is not the primary deployment any more; the history has it. */
async function findPastUpdate(
  ecs: ECSClient,
  { release, taskDefinitionArn, newestBefore }: UpdateRequest,
): Promise<string | undefined> {
  const newestFirst = await listServiceDeployments(ecs, release, searchedServiceDeployments)
  const known = newestFirst.findIndex(({ serviceDeploymentArn }) => serviceDeploymentArn === newestBefore)
  const since = known < 0 ? newestFirst : newestFirst.slice(0, known)
  const serviceRevisionArns = since.flatMap(({ targetServiceRevisionArn }) => targetServiceRevisionArn ?? [])
  if (serviceRevisionArns.length === 0) return undefined
  const { serviceRevisions } = await ask(() => ecs.send(new DescribeServiceRevisionsCommand({ serviceRevisionArns })))
  const ours = serviceRevisions?.find(({ taskDefinition }) => taskDefinition === taskDefinitionArn)
  return ours?.serviceRevisionArn && `ecs-svc/${numberOf(ours.serviceRevisionArn)}`
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
 * `beforeSend` runs just before the request that changes the service, and stops it by throwing.
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
    deploymentConfiguration: { ...keptOf(service), ...configurationOf(release) },
    // The service runs this very task definition already: without force nothing would be released.
    forceNewDeployment: before?.taskDefinitionArn === taskDefinitionArn,
    ...present({ loadBalancers }),
  })
  const answer = await ask(() => ecs.send(command))
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
  const ours = balancers.find(({ targetGroupArn, advancedConfiguration: advanced }) =>
    [targetGroupArn, advanced?.alternateTargetGroupArn].includes(shift.targetGroupArn),
  )
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

/** What was set on the service outside of a release, and would be lost with the configuration that is replaced. */
function keptOf({ deploymentConfiguration: stored }: Service): DeploymentConfiguration {
  const { alarms, minimumHealthyPercent, maximumPercent } = stored ?? {}
  return present({ alarms, minimumHealthyPercent, maximumPercent })
}

/** The cloud's own breaker decides when tasks fail too often; it returns to the version before. */
const deploymentCircuitBreaker = { enable: true, rollback: true }

function configurationOf({ strategy }: EcsRelease): DeploymentConfiguration {
  if (strategy.type === 'rolling') return { strategy: 'ROLLING', lifecycleHooks: [], deploymentCircuitBreaker }
  const { linear, canary, pauseStages, bakeTimeInMinutes } = strategy
  return {
    strategy: strategy.type === 'blue_green' ? 'BLUE_GREEN' : strategy.type === 'linear' ? 'LINEAR' : 'CANARY',
    bakeTimeInMinutes,
    ...present({ linearConfiguration: linear, canaryConfiguration: canary }),
    lifecycleHooks: pauseStages.map(({ stage, timeoutInMinutes, timeoutAction }) => ({
      targetType: 'PAUSE',
      lifecycleStages: [stage] as NonNullable<DeploymentConfiguration['lifecycleHooks']>[number]['lifecycleStages'],
      timeoutConfiguration: { timeoutInMinutes, action: timeoutAction },
    })),
    deploymentCircuitBreaker,
  }
}

/** The service deployment that carries out `externalDeploymentId`; it is listed some seconds after the update. */
export async function findServiceDeployment(
  ecs: ECSClient,
  place: Place,
  externalDeploymentId: string,
): Promise<string | undefined> {
  const ours = (await listServiceDeployments(ecs, place, searchedServiceDeployments)).find(
    ({ targetServiceRevisionArn = '' }) => numberOf(targetServiceRevisionArn) === numberOf(externalDeploymentId),
  )
  return ours?.serviceDeploymentArn
}

/** How many of a service's newest deployments are searched for ours; revisions are described so many at a time, too. */
const searchedServiceDeployments = 20

async function listServiceDeployments(
  ecs: ECSClient,
  { clusterArn, serviceArn }: Place,
  maxResults: number,
): Promise<ServiceDeploymentBrief[]> {
  const command = new ListServiceDeploymentsCommand({ cluster: clusterArn, service: serviceArn, maxResults })
  return (await ask(() => ecs.send(command))).serviceDeployments ?? []
}

/** A deployment's id and its revision's ARN end in the same number, which is too large for a JavaScript number. */
const numberOf = (identity: string): string | undefined => identity.split('/').at(-1)

/** One reading of the service deployment. */
export async function readServiceDeployment(
  ecs: ECSClient,
  serviceDeploymentArn: string,
  now: Date,
): Promise<ServiceDeploymentSnapshot> {
  const command = new DescribeServiceDeploymentsCommand({ serviceDeploymentArns: [serviceDeploymentArn] })
  const { serviceDeployments, failures } = await ask(() => ecs.send(command))
  const [found] = serviceDeployments ?? []
  if (!found) {
    const why = failures?.[0]?.reason ?? 'MISSING'
    throw new CloudRefusal(
      'ServiceDeploymentNotFoundException',
      `There is no service deployment ${serviceDeploymentArn} (${why}).`,
    )
  }
  return snapshotOf(found, serviceDeploymentArn, now)
}

function snapshotOf(found: ServiceDeployment, serviceDeploymentArn: string, now: Date): ServiceDeploymentSnapshot {
  const { deploymentCircuitBreaker: breaker, alarms, rollback } = found
  const { failureCount, threshold } = breaker ?? {}
  return present({
    state: stateOf(found, serviceDeploymentArn, now),
    hooks: hooksOf(found),
    rollbackReason: rollback?.reason,
    breaker: breaker?.status && present({ status: breaker.status as string, failureCount, threshold }),
    alarms: alarms?.status && { status: alarms.status as string, triggered: alarms.triggeredAlarmNames ?? [] },
  })
}

function stateOf(found: ServiceDeployment, serviceDeploymentArn: string, now: Date): ServiceDeploymentState {
  const { status = 'UNKNOWN', statusReason, lifecycleStage, sourceServiceRevisions, targetServiceRevision } = found
  const strategy = found.deploymentConfiguration?.strategy
  const shifts = strategy !== undefined && strategy !== 'ROLLING'
  const weight = targetServiceRevision?.requestedProductionTrafficWeight ?? 0
  return present({
    serviceDeploymentArn,
    status: status as string,
    observedAt: now.toISOString(),
    acceptsNativeStandbyRevert: shifts && (status === 'PENDING' || status === 'IN_PROGRESS'),
    statusReason,
    strategy: strategy?.toLowerCase(),
    lifecycleStage: lifecycleStage as string | undefined,
    trafficPhase: lifecycleStage && trafficPhaseOf(lifecycleStage, weight),
    sourceServiceRevisions: sourceServiceRevisions?.map(revisionOf),
    targetServiceRevision: targetServiceRevision && revisionOf(targetServiceRevision),
  })
}

/** The cloud's weights are fractions of a percent (5.5); the interface's are whole. */
function revisionOf(revision: ServiceRevisionSummary): ServiceRevision {
  const { requestedProductionTrafficWeight: production, requestedTestTrafficWeight: test } = revision
  return present({
    serviceRevisionArn: revision.arn ?? '',
    requestedTaskCount: revision.requestedTaskCount ?? 0,
    runningTaskCount: revision.runningTaskCount ?? 0,
    pendingTaskCount: revision.pendingTaskCount ?? 0,
    requestedProductionTrafficWeight: production === undefined ? undefined : Math.round(production),
    requestedTestTrafficWeight: test === undefined ? undefined : Math.round(test),
  })
}

/** The cloud does not say at which stage a hook waits: while it waits, that is the stage of the whole. */
function hooksOf({ lifecycleHookDetails, lifecycleStage }: ServiceDeployment): HookSnapshot[] {
  return (lifecycleHookDetails ?? []).flatMap(
    ({ hookId, targetType, status = 'UNKNOWN', timeoutAction, expiresAt }) => {
      if (targetType !== 'PAUSE' || hookId === undefined) return []
      return present({
        hookId,
        status: status as string,
        timeoutAction: (timeoutAction ?? 'ROLLBACK') as string,
        lifecycleStage: status === 'AWAITING_ACTION' ? (lifecycleStage as string | undefined) : undefined,
        expiresAt: expiresAt?.toISOString(),
      })
    },
  )
}

/** Lets the release go on from a pause. */
export async function continueHook(ecs: ECSClient, serviceDeploymentArn: string, hookId: string): Promise<void> {
  await ask(() => ecs.send(new ContinueServiceDeploymentCommand({ serviceDeploymentArn, hookId, action: 'CONTINUE' })))
}

/** Stops the release and returns to the version before; harmless when that is under way already. */
export async function stopServiceDeployment(ecs: ECSClient, serviceDeploymentArn: string): Promise<void> {
  await ask(() => ecs.send(new StopServiceDeploymentCommand({ serviceDeploymentArn, stopType: 'ROLLBACK' })))
}
