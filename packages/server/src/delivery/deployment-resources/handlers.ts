import { failures, refusals } from '@sluice/contract'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { NotConnected, shownOrTold } from '../../cloud/looks/told-by-cloud.ts'
import type { Db } from '../../platform/db/open.ts'
import type { PartsOf } from '../../platform/db/ownership.ts'
import { type Called, keyedByRecord } from '../../platform/engine/keyed-by-record.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { loadForWork } from '../deployments/store.ts'
import { lookAtResources } from './look.ts'
import { resourcesOf } from './shown.ts'
import { findAtEnd, keepAtEnd } from './store.ts'
import { type LookAgain, resourcesService, toResources } from './wake.ts'

type ResourcesParts = { db: Db; cloud: Cloud; clock: () => Date }

/** Keyed by deployment id: keeps what a deployment left behind, apart from the work on it, which is over. */
export const deploymentResourcesObject = (partsOf: PartsOf<ResourcesParts>) =>
  keyedByRecord<ResourcesParts, LookAgain>({
    service: resourcesService,
    handler: 'keep',
    journaledAs: 'keep what it left behind',
    partsOf,
    step: keep,
  })

/** A cloud in trouble is asked again after so long, later each time, for ten minutes in all. Milliseconds. */
const pausesMs = [15_000, 60_000, 180_000, 345_000]

async function keep({ db, cloud, clock }: ResourcesParts, { id, payload }: Called<LookAgain>): Promise<Message[]> {
  const { failed = 0 } = payload
  const loaded = await loadForWork(db, id)
  if (!loaded) return []
  const { row, account } = loaded
  const { organizationId, projectId, environmentId } = row
  if (await findAtEnd(db, organizationId, id)) return []
  const found = await shownOrTold(failures.touchedNotShown.code, async () => {
    if (!account) throw new NotConnected(row.release.cloudAccountId)
    return lookAtResources(cloud.clientsFor(account, row.release.region), row, { isAtEnd: true })
  })
  const pauseMs = pausesMs[failed]
  if ('error' in found && found.error.code === refusals.cloudUnreachable.code && pauseMs !== undefined) {
    return [toResources(id, { failed: failed + 1 }, pauseMs)]
  }
  const known = { deploymentId: id, organizationId, projectId, environmentId, observedAt: clock() }
  const seen =
    'error' in found
      ? { resources: resourcesOf(row), isWhole: false, error: found.error }
      : { resources: found.value.all, isWhole: found.value.isWhole, error: null }
  await keepAtEnd(db, { ...known, ...seen })
  return []
}
