import { type DeploymentResources, failures, routes } from '@sluice/contract'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import { clocksFor } from '../../cloud/observations/clocks.ts'
import { ObservationCache } from '../../cloud/observations/observation-cache.ts'
import { NotConnected, valueOrError } from '../../cloud/observations/observation-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { missing } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import type { DeploymentReader } from '../deployment-archives/read.ts'
import { isFinal } from '../deployments/execution/machine.ts'
import type { DeploymentRow } from '../deployments/store/tables.ts'
import { type Resources, readResources } from './read.ts'
import { maxResources, resourcesOf } from './representation.ts'
import { findAtEnd, storedWithinMs } from './store.ts'

/**
 * Cache and rate settings, as for tasks of instances: see `module-instance-tasks`, which explains the cost of a
 * request.
 */
const pace = { cacheTtlMs: 5_000, minIntervalMs: 500, maxWaitMs: 4_000 }

type Parts = { cloud: Cloud; clock: () => Date; deploymentReader: DeploymentReader }

export function serveDeploymentResources(app: App, { cloud, clock, deploymentReader }: Parts): void {
  const looks = new ObservationCache<Resources>({ ...pace, ...clocksFor(app, clock) })

  handle(app, routes.listDeploymentResources, async ({ params: { id }, caller: { organizationId }, db }) => {
    const row = await deploymentReader.find(db, organizationId, id)
    if (!row) throw missing('deploymentNotFound', 'deployment', id)
    return (await atItsEnd(db, row, clock())) ?? now(db, row)
  })

  async function now(db: Db, row: DeploymentRow): Promise<DeploymentResources> {
    const { id, organizationId, release } = row
    const found = await valueOrError(failures.touchedNotShown.code, async () => {
      const account = await findCloudConnection(db, organizationId, release.cloudAccountId)
      if (!account) throw new NotConnected(release.cloudAccountId)
      const key = JSON.stringify([organizationId, id])
      return looks.get(account.id, key, () =>
        readResources(cloud.clientsFor(account, release.region), row, { isAtEnd: false }),
      )
    })
    const meta = { deploymentId: id, isLive: true }
    if ('error' in found) return { ...known(row), meta: { ...meta, isComplete: false, error: found.error } }
    const { at, value } = found.value
    return { data: value.all, meta: { ...meta, observedAt: at.toISOString(), isComplete: value.isComplete } }
  }
}

/**
 * Returns the stored resources of a finished deployment. Returns undefined if the cloud must be read, because the
 * deployment is in progress or has just ended.
 */
async function atItsEnd(db: Db, row: DeploymentRow, now: Date): Promise<DeploymentResources | undefined> {
  const meta = { deploymentId: row.id, isLive: false }
  if (row.startedAt === null && row.status === 'PENDING') {
    return { data: [], meta: { ...meta, isLive: true, isComplete: true } } // it has changed nothing yet
  }
  if (!isFinal(row.status)) return undefined
  const kept = await findAtEnd(db, row.organizationId, row.id)
  if (kept) {
    const { observedAt, isComplete, error } = kept
    const seen = { observedAt: observedAt.toISOString(), isComplete, error: error ?? undefined }
    return { data: kept.resources, meta: present({ ...meta, ...seen }) }
  }
  if (row.startedAt === null) return { data: [], meta: { ...meta, isComplete: true } } // it never started
  const endedMs = now.getTime() - (row.completedAt ?? row.updatedAt).getTime()
  return endedMs > storedWithinMs ? { ...known(row), meta: { ...meta, isComplete: false } } : undefined
}

/** Returns the resources that the deployment's own data names, for when the cloud cannot be read. */
const known = (row: DeploymentRow) => ({ data: resourcesOf(row).slice(0, maxResources) })
