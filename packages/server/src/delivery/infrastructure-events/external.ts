import type { CloudEvent } from '@sluice/contract'
import type { Logger } from 'pino'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { CloudPermanentError, CloudTransientError } from '../../cloud/adapter/cloud-call.ts'
import { readExternalDeployment } from '../../cloud/adapter/ecs/external.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { toDeployment } from '../deployments/execution/wake.ts'
import { adoptRelease, findOwner, isKnownRelease } from '../deployments/external/adopt.ts'
import { activeDeploymentsTo } from '../deployments/store/store.ts'
import { relevanceOf } from './relevance.ts'
import { loadEvent, scheduleExamination } from './store.ts'
import type { InfrastructureEventRow } from './tables.ts'
import { toCloudEvent } from './wake.ts'

export type ExaminationParts = { db: Db; cloud: Cloud; clock: () => Date; log: Logger }

/**
 * Maximum time to look for an event's service deployment, and the minimum and maximum polling intervals, in
 * milliseconds.
 */
const maxExaminationMs = 3_600_000
const minIntervalMs = 1_000
const maxIntervalMs = 30_000
/**
 * Maximum age in milliseconds of a finished external release for which a deployment is created. An older one is only
 * history.
 */
const maxReleaseAgeMs = 15 * 60_000

/** Maximum delivery delay of events ("Event retry policy" of EventBridge, read 2026-11), in milliseconds. */
const maxDeliveryDelayMs = 86_400_000

/** Result of examining an event: the deployment that follows the release, nothing, or a retry. */
type Examination = { deploymentId: string } | 'nothing' | 'later'

/**
 * Determines whether an event belongs to an external deployment, and creates a deployment that follows it. The event
 * may arrive before the response to our own request, so nothing is decided while a deployment of the service is active.
 * Returns messages for the engine.
 */
export async function examineEvent(parts: ExaminationParts, id: string): Promise<Message[]> {
  const { db, clock, log } = parts
  const event = await loadEvent(db, id)
  if (!event?.wakeAt) return []
  const verdict = await examine(parts, event).catch((error) => {
    if (error instanceof CloudTransientError) return 'later'
    if (!(error instanceof CloudPermanentError)) throw error
    log.info({ event: id, reason: error.reason }, 'the cloud did not return the release of an event')
    return 'nothing'
  })
  const ageMs = clock().getTime() - event.createdAt.getTime()
  if (verdict === 'later' && ageMs < maxExaminationMs) {
    const delayMs = Math.min(maxIntervalMs, Math.max(minIntervalMs, ageMs / 4))
    await scheduleExamination(db, id, new Date(clock().getTime() + delayMs))
    return [toCloudEvent(id, delayMs)]
  }
  await scheduleExamination(db, id, null)
  if (typeof verdict === 'string') return []
  return [toDeployment(verdict.deploymentId)]
}

async function examine({ db, cloud, clock }: ExaminationParts, row: InfrastructureEventRow): Promise<Examination> {
  const { organizationId, cloudAccountId, resourceArn } = row
  const begunDeploymentId = relevanceOf(row.event as CloudEvent)?.begunDeploymentId
  if (resourceArn === null || begunDeploymentId === undefined) return 'nothing'
  const owner = await findOwner(db, organizationId, resourceArn)
  if (!owner || (await isKnownRelease(db, organizationId, resourceArn, begunDeploymentId))) return 'nothing'
  if ((await activeDeploymentsTo(db, organizationId, resourceArn)).length > 0) return 'later'
  const account = await findCloudConnection(db, organizationId, cloudAccountId)
  if (!account) return 'nothing'

  const { ecs } = cloud.clientsFor(account, owner.release.region)
  const since = new Date(row.createdAt.getTime() - maxDeliveryDelayMs)
  const found = await readExternalDeployment(ecs, owner.release, begunDeploymentId, since)
  if (!found) return 'later' // the service deployment is listed some seconds after its start
  // A late event: a newer release by Sluice has replaced this one. Or, without a previous release, it created the
  // service.
  if (owner.releasedAt ? found.createdAt < owner.releasedAt : !found.previous) return 'nothing'
  if (found.isOver && clock().getTime() - found.createdAt.getTime() > maxReleaseAgeMs) return 'nothing'
  const adoption = await adoptRelease(db, owner, found, { cloudAccountId, detectedVia: 'EVENT_BUS' }, clock)
  if (adoption === 'busy') return 'later'
  return typeof adoption === 'string' ? 'nothing' : adoption
}
