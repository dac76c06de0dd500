import type {
  ContinueServiceDeploymentRequest,
  CreatedAt,
  DescribeServiceDeploymentsRequest,
  DescribeServiceRevisionsRequest,
  ListServiceDeploymentsRequest,
  ServiceDeploymentAlarms,
  ServiceDeploymentBrief,
  ServiceDeploymentCircuitBreaker,
  ServiceDeployment as ServiceDeploymentShape,
  ServiceRevision,
} from '@aws-sdk/client-ecs'
import { scopeOfArn } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError, invalidParameter } from '../errors.ts'
import { seconds, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { thresholdOf } from './breaker.ts'
import { advanceService, applyRollout } from './deployer.ts'
import { page } from './pages.ts'
import { answerHook, type Hook, isFinal, phaseOf, type Rollout, requestRollback, requestStop } from './rollout.ts'
import { launchTypeOf, type Revision, type Service, type ServiceDeployment } from './service-records.ts'
import { findService } from './services.ts'
import { ecs } from './state.ts'
import { summaryOf } from './summaries.ts'

/** Maximum number of service deployments and revisions per describe call. */
const maxDescribed = 20

export function listServiceDeployments(world: World, caller: Caller, input: ListServiceDeploymentsRequest) {
  const service = findService(world, caller, input)
  const { after, before } = (input.createdAt ?? {}) as Wire<CreatedAt>
  const isWanted = ({ createdAt, listableAt, rollout }: ServiceDeployment) =>
    listableAt <= world.clock.now() &&
    (!input.status?.length || input.status.includes(rollout.status)) &&
    (after === undefined || seconds(createdAt) > after) &&
    (before === undefined || seconds(createdAt) < before)
  const newestFirst = ecs(world).serviceDeployments.having('service', service.key).filter(isWanted).reverse()
  const { items, more } = page(newestFirst, input, 20)
  return { serviceDeployments: items.map(describeBrief), ...more }
}

export function describeServiceDeployments(world: World, caller: Caller, input: DescribeServiceDeploymentsRequest) {
  const wanted = checkArns('serviceDeploymentArns', input.serviceDeploymentArns)
  const found = wanted.flatMap((arn) => findDeployment(world, caller, arn) ?? [])
  return {
    serviceDeployments: found.map((deployment) => describe(world, deployment)),
    failures: missing(wanted, found),
  }
}

export function describeServiceRevisions(world: World, caller: Caller, input: DescribeServiceRevisionsRequest) {
  const wanted = checkArns('serviceRevisionArns', input.serviceRevisionArns)
  const found = wanted.flatMap((arn) => (scopeOfArn(arn) === caller.scope && ecs(world).revisions.get(arn)) || [])
  return {
    serviceRevisions: found.map((revision) => describeRevision(world, revision)),
    failures: missing(wanted, found),
  }
}

export function continueServiceDeployment(world: World, caller: Caller, input: ContinueServiceDeploymentRequest) {
  const deployment = existing(world, caller, input.serviceDeploymentArn)
  const { hookId, action = 'CONTINUE' } = input
  if (!hookId) throw invalidParameter('hookId cannot be empty.')
  if (action !== 'CONTINUE' && action !== 'ROLLBACK') throw invalidParameter(`Invalid action: ${String(action)}.`)
  const answered = answerHook(deployment.rollout, hookId, action, world.clock.now())
  if (typeof answered === 'string') throw invalidParameter(answered)
  return change(world, deployment, answered)
}

export function stopServiceDeployment(
  world: World,
  caller: Caller,
  input: { serviceDeploymentArn?: string; stopType?: string },
) {
  const deployment = existing(world, caller, input.serviceDeploymentArn)
  const { stopType = 'ROLLBACK' } = input
  const { rollout } = deployment
  if (stopType !== 'ROLLBACK' && stopType !== 'ABORT') throw invalidParameter(`Invalid stop type: ${stopType}.`)
  if (isFinal(rollout.status)) {
    const message = `The service deployment is in status ${rollout.status} and cannot be stopped.`
    throw new CloudError('ConflictException', message)
  }
  const now = world.clock.now()
  const reason = 'Service deployment rolled back because StopServiceDeployment was called.'
  if (stopType === 'ROLLBACK') return change(world, deployment, requestRollback(rollout, reason, now))
  return change(world, deployment, requestStop(rollout, 'Service deployment stopped by the user.', now))
}

function change(world: World, deployment: ServiceDeployment, after: Rollout) {
  const service = ecs(world).services.get(deployment.serviceArn)
  if (service && after !== deployment.rollout) applyRollout(world, service, deployment, after)
  advanceService(world, deployment.serviceArn)
  return { serviceDeploymentArn: deployment.key }
}

function checkArns(name: string, arns: string[] | undefined): string[] {
  if (!arns || arns.length === 0) throw invalidParameter(`${name} cannot be empty.`)
  if (arns.length > maxDescribed) throw invalidParameter(`${name} cannot have more than ${maxDescribed} elements.`)
  return arns
}

const missing = (wanted: string[], found: { key: string }[]) =>
  wanted.filter((arn) => !found.some(({ key }) => key === arn)).map((arn) => ({ arn, reason: 'MISSING' }))

function findDeployment(world: World, caller: Caller, arn: string | undefined): ServiceDeployment | undefined {
  const deployment = ecs(world).serviceDeployments.get(arn ?? '')
  const isVisible =
    deployment && scopeOfArn(deployment.key) === caller.scope && deployment.listableAt <= world.clock.now()
  return isVisible ? deployment : undefined
}

function existing(world: World, caller: Caller, arn: string | undefined): ServiceDeployment {
  if (!arn) throw invalidParameter('serviceDeploymentArn cannot be empty.')
  const deployment = findDeployment(world, caller, arn)
  if (deployment) return deployment
  throw new CloudError('ServiceDeploymentNotFoundException', 'The service deployment was not found.')
}

function describeBrief(deployment: ServiceDeployment): Wire<ServiceDeploymentBrief> {
  const { rollout, createdAt, startedAt, finishedAt } = deployment
  return {
    serviceDeploymentArn: deployment.key,
    serviceArn: deployment.serviceArn,
    clusterArn: deployment.clusterArn,
    targetServiceRevisionArn: deployment.target,
    createdAt: seconds(createdAt),
    ...(startedAt === undefined ? {} : { startedAt: seconds(startedAt) }),
    ...(finishedAt === undefined ? {} : { finishedAt: seconds(finishedAt) }),
    status: rollout.status,
    ...(rollout.statusReason ? { statusReason: rollout.statusReason } : {}),
  }
}

/** Serializes a service deployment as in DescribeServiceDeployments. */
export function describe(world: World, deployment: ServiceDeployment): Wire<ServiceDeploymentShape> {
  const { rollout, rollback, stoppedAt, updatedAt, configuration } = deployment
  const { targetServiceRevisionArn: _inBrief, ...brief } = describeBrief(deployment)
  const service = ecs(world).services.get(deployment.serviceArn)
  const stage = rollout.strategy === 'ROLLING' || isFinal(rollout.status) ? undefined : phaseOf(rollout)?.stage
  return {
    ...brief,
    ...(stoppedAt === undefined ? {} : { stoppedAt: seconds(stoppedAt) }),
    updatedAt: seconds(updatedAt),
    ...(service ? revisionsOf(world, service, deployment) : {}),
    // PRE_PRODUCTION_TRAFFIC_SHIFT is missing in the client's enumeration
    ...(stage ? { lifecycleStage: stage as NonNullable<ServiceDeploymentShape['lifecycleStage']> } : {}),
    lifecycleHookDetails: rollout.hooks.map((hook) => describeHook(world, hook)),
    deploymentConfiguration: configuration,
    ...(rollback ? { rollback: { ...rollback, startedAt: seconds(rollback.startedAt) } } : {}),
    deploymentCircuitBreaker: describeBreaker(deployment, service?.desiredCount ?? 0),
    alarms: describeAlarms(deployment),
  } as Wire<ServiceDeploymentShape>
}

function revisionsOf(world: World, service: Service, deployment: ServiceDeployment) {
  const { ended, sources, target } = deployment
  if (ended) return { targetServiceRevision: ended.target, sourceServiceRevisions: ended.sources }
  return {
    targetServiceRevision: summaryOf(world, service, deployment, target),
    sourceServiceRevisions: sources.map((arn) => summaryOf(world, service, deployment, arn)),
  }
}

const describeHook = (world: World, { hookId, targetType, targetArn, status, expiresAt, timeoutAction }: Hook) => ({
  hookId,
  targetType,
  ...(targetArn ? { targetArn } : {}),
  status,
  ...(expiresAt === undefined ? {} : { expiresAt: seconds(world.clock.timestamp(expiresAt)) }),
  ...(timeoutAction ? { timeoutAction } : {}),
})

function describeBreaker(deployment: ServiceDeployment, desiredCount: number): ServiceDeploymentCircuitBreaker {
  const breaker = deployment.configuration.deploymentCircuitBreaker
  const threshold = thresholdOf(breaker, desiredCount)
  if (!breaker?.enable) return { status: 'DISABLED', failureCount: deployment.failures, threshold }
  const watching = isFinal(deployment.rollout.status) ? 'MONITORING_COMPLETE' : 'MONITORING'
  const status = deployment.isBreakerTriggered ? 'TRIGGERED' : watching
  return { status, failureCount: deployment.failures, threshold }
}

function describeAlarms({ configuration, alarms, rollout }: ServiceDeployment): ServiceDeploymentAlarms {
  if (!alarms) return { status: 'DISABLED', triggeredAlarmNames: [] }
  const { alarmNames = [] } = configuration.alarms ?? {}
  const watching = isFinal(rollout.status) ? 'MONITORING_COMPLETE' : 'MONITORING'
  const status = alarms.triggered.length > 0 ? 'TRIGGERED' : watching
  return { status, alarmNames, triggeredAlarmNames: alarms.triggered }
}

function describeRevision(world: World, revision: Revision): Wire<ServiceRevision> {
  const { spec, targetGroups, createdAt } = revision
  const service = ecs(world).services.get(revision.serviceArn)
  const containers = ecs(world).taskDefinitions.get(spec.taskDefinition)?.content.containerDefinitions ?? []
  return {
    ...spec,
    serviceRevisionArn: revision.key,
    serviceArn: revision.serviceArn,
    ...(service ? { clusterArn: service.clusterArn } : {}),
    ...(service ? launchTypeOf(service.settings) : {}),
    platformVersion: '1.4.0',
    platformFamily: 'Linux',
    containerImages: containers.map(({ name, image }, index) => ({
      containerName: name,
      image,
      imageDigest: revision.digests?.[index],
    })),
    guardDutyEnabled: false,
    createdAt: seconds(createdAt),
    resolvedConfiguration: {
      loadBalancers: (spec.loadBalancers ?? []).map(({ advancedConfiguration }, index) => ({
        targetGroupArn: targetGroups[index],
        productionListenerRule: advancedConfiguration?.productionListenerRule,
      })),
    },
  } as Wire<ServiceRevision>
}
