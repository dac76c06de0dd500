import {
  ContinueServiceDeploymentCommand,
  type ECSClient,
  ListServiceDeploymentsCommand,
  type ServiceDeployment,
  type ServiceDeploymentBrief,
  type ServiceRevisionSummary,
  StopServiceDeploymentCommand,
} from '@aws-sdk/client-ecs'
import type { ServiceDeploymentState, ServiceRevision } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import {
  type HookSnapshot,
  type ServiceDeploymentSnapshot,
  type ServiceInEnvironment,
  trafficPhaseOf,
} from '../../facts/ecs.ts'
import { clockSkewMs } from '../clock-skew.ts'
import { CloudPermanentError, callCloud } from '../cloud-call.ts'
import { describeServiceDeployment } from './observations.ts'

/** Returns the service deployment of `externalDeploymentId`, which ECS lists some seconds after the update. */
export async function findServiceDeployment(
  ecs: ECSClient,
  place: ServiceInEnvironment,
  { externalDeploymentId, since }: { externalDeploymentId: string; since: Date },
): Promise<string | undefined> {
  const ours = (await listServiceDeployments(ecs, place, since)).find(
    ({ targetServiceRevisionArn = '' }) => numberOf(targetServiceRevisionArn) === numberOf(externalDeploymentId),
  )
  return ours?.serviceDeploymentArn
}

/**
 * Lists the service's deployments created since `since`, allowing for clock skew, newest first: the cloud does not sort
 * them.
 */
export async function listServiceDeployments(
  ecs: ECSClient,
  { clusterArn, serviceArn }: ServiceInEnvironment,
  since: Date,
): Promise<ServiceDeploymentBrief[]> {
  const createdAt = { after: new Date(since.getTime() - clockSkewMs) }
  const found: ServiceDeploymentBrief[] = []
  let nextToken: string | undefined
  do {
    const place = { cluster: clusterArn, service: serviceArn }
    const command = new ListServiceDeploymentsCommand({
      ...place,
      createdAt,
      maxResults: 100,
      ...present({ nextToken }),
    })
    const answer = await callCloud(() => ecs.send(command))
    found.push(...(answer.serviceDeployments ?? []))
    nextToken = answer.nextToken
  } while (nextToken)
  return found.sort((a, b) => madeAt(b) - madeAt(a))
}

const madeAt = ({ createdAt }: ServiceDeploymentBrief): number => createdAt?.getTime() ?? 0

/**
 * Returns the number in which a deployment id and its revision's ARN both end, as a string: it exceeds JavaScript's
 * safe integers.
 */
const numberOf = (identity: string): string | undefined => identity.split('/').at(-1)

/** Returns the service's deployment id (`ecs-svc/…`) for a revision. */
export const deploymentIdOf = (revisionArn: string): string => `ecs-svc/${numberOf(revisionArn)}`

export async function readServiceDeployment(
  ecs: ECSClient,
  serviceDeploymentArn: string,
  now: Date,
): Promise<ServiceDeploymentSnapshot> {
  const shown = await describeServiceDeployment(ecs, serviceDeploymentArn)
  if ('missing' in shown) {
    throw new CloudPermanentError(
      'ServiceDeploymentNotFoundException',
      `There is no service deployment ${serviceDeploymentArn} (${shown.missing}).`,
    )
  }
  return snapshotOf(shown.found, serviceDeploymentArn, now)
}

function snapshotOf(found: ServiceDeployment, serviceDeploymentArn: string, now: Date): ServiceDeploymentSnapshot {
  const { deploymentCircuitBreaker: breaker, alarms, rollback } = found
  const { failureCount, threshold } = breaker ?? {}
  return present({
    state: stateOf(found, serviceDeploymentArn, now),
    hooks: hooksOf(found),
    rollbackReason: rollback?.reason,
    returnsTo: rollback?.serviceRevisionArn && deploymentIdOf(rollback.serviceRevisionArn),
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

/** Serializes a revision. The cloud's weights can be fractional (5.5%), but those of the API are whole numbers. */
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

/**
 * Returns the lifecycle hooks. The cloud does not report a hook's stage, but a waiting hook is at the stage of the
 * deployment.
 */
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

/** Continues a service deployment that waits at a pause hook. */
export async function continueHook(ecs: ECSClient, serviceDeploymentArn: string, hookId: string): Promise<void> {
  await callCloud(() =>
    ecs.send(new ContinueServiceDeploymentCommand({ serviceDeploymentArn, hookId, action: 'CONTINUE' })),
  )
}

/** Stops the service deployment and rolls back. Does nothing if it is already rolling back. */
export async function stopServiceDeployment(ecs: ECSClient, serviceDeploymentArn: string): Promise<void> {
  await callCloud(
    () => ecs.send(new StopServiceDeploymentCommand({ serviceDeploymentArn, stopType: 'ROLLBACK' })),
    'StopServiceDeployment',
  )
}
