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
import { ask, CloudRefusal } from '../answer.ts'
import { clockSkewMs } from '../clock-skew.ts'
import { describeServiceDeployment } from './observations.ts'

/** The service deployment that carries out `externalDeploymentId`; it is listed some seconds after the update. */
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

/** The service's deployments that were made since then by any clock, newest first: the cloud promises no order. */
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
    const answer = await ask(() => ecs.send(command))
    found.push(...(answer.serviceDeployments ?? []))
    nextToken = answer.nextToken
  } while (nextToken)
  return found.sort((a, b) => madeAt(b) - madeAt(a))
}

const madeAt = ({ createdAt }: ServiceDeploymentBrief): number => createdAt?.getTime() ?? 0

/** A deployment's id and its revision's ARN end in the same number, which is too large for a JavaScript number. */
const numberOf = (identity: string): string | undefined => identity.split('/').at(-1)

/** The id, on the service, of the deployment of a revision. */
export const deploymentIdOf = (revisionArn: string): string => `ecs-svc/${numberOf(revisionArn)}`

/** One reading of the service deployment. */
export async function readServiceDeployment(
  ecs: ECSClient,
  serviceDeploymentArn: string,
  now: Date,
): Promise<ServiceDeploymentSnapshot> {
  const shown = await describeServiceDeployment(ecs, serviceDeploymentArn)
  if ('missing' in shown) {
    throw new CloudRefusal(
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
  await ask(
    () => ecs.send(new StopServiceDeploymentCommand({ serviceDeploymentArn, stopType: 'ROLLBACK' })),
    'StopServiceDeployment',
  )
}
