import { apiErrors, failures } from '@sluice/contract'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { NotConnected, valueOrError } from '../../cloud/observations/observation-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import type { WorkOn } from '../../platform/db/ownership.ts'
import { createRecordObject, type RecordMessage } from '../../platform/engine/keyed-by-record.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { isFinal } from '../deployments/execution/machine.ts'
import { readResources } from './read.ts'
import { resourcesOf } from './representation.ts'
import { loadUnstored, saveAtEnd } from './store.ts'
import { type ResourcesRetry, resourcesService, toResources } from './wake.ts'

type ResourcesParts = { db: Db; cloud: Cloud; clock: () => Date }

/** Engine object keyed by deployment id. Stores the resources of a finished deployment. */
export const deploymentResourcesObject = (workOn: WorkOn<ResourcesParts>) =>
  createRecordObject<ResourcesParts, ResourcesRetry>({
    service: resourcesService,
    handler: 'keep',
    journaledAs: 'keep what it left behind',
    workOn,
    step: storeResources,
  })

/** Retry delays after transient errors of the cloud, in milliseconds: ten minutes in total. */
const pausesMs = [15_000, 60_000, 180_000, 345_000]

/**
 * Reads the resources of a finished deployment from the cloud and stores them. Returns a message for a later retry if
 * they cannot be read.
 */
export async function storeResources(
  { db, cloud, clock }: ResourcesParts,
  { id, payload }: RecordMessage<ResourcesRetry>,
): Promise<Message[]> {
  const { failed = 0 } = payload
  const loaded = await loadUnstored(db, id)
  if (!loaded) return [] // deleted, or stored already
  const { row, account } = loaded
  const pauseMs = pausesMs[failed]
  const later = pauseMs === undefined ? [] : [toResources(id, { failed: failed + 1 }, pauseMs)]
  if (!isFinal(row.status)) return later // the message arrived before the end of the deployment was stored
  const { organizationId, projectId, environmentId } = row
  const found = await valueOrError(failures.touchedNotShown.code, async () => {
    if (!account) throw new NotConnected(row.release.cloudAccountId)
    return readResources(cloud.clientsFor(account, row.release.region), row, { isAtEnd: true })
  })
  const isUnreachable = 'error' in found && found.error.code === apiErrors.cloudUnreachable.code
  if (isUnreachable && later.length > 0) return later
  const known = { deploymentId: id, organizationId, projectId, environmentId, observedAt: clock() }
  const seen =
    'error' in found
      ? { resources: resourcesOf(row), isComplete: false, error: found.error }
      : { resources: found.value.all, isComplete: found.value.isComplete, error: null }
  await saveAtEnd(db, { ...known, ...seen })
  return []
}
