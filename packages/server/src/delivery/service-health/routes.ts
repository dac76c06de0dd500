import { failures, routes, type ServiceHealth, type UserFacingError } from '@sluice/contract'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { readTaskCounts } from '../../cloud/adapter/ecs/running.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import type { TaskCounts } from '../../cloud/facts/running.ts'
import { SharedLooks } from '../../cloud/looks/shared-looks.ts'
import { NotConnected, shownOrTold } from '../../cloud/looks/told-by-cloud.ts'
import { waitingIn } from '../../cloud/looks/waiting.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { type Batch, batchesOf } from './batches.ts'
import { listTaskServices } from './store.ts'

/**
 * A look is one request, of ten services at most; five a second leave most of an account's rate to its releases (20
 * `DescribeServices` a second: "Request throttling for the Amazon ECS API", read 2026-11). Each process keeps to this
 * by itself.
 */
const pace = { freshMs: 10_000, apartMs: 200, mostWaitMs: 4_000 }

/** Tells how many tasks of several services run now: for pages that show many. */
export function serveServiceHealth(app: App, { cloud, clock }: { cloud: Cloud; clock: () => Date }): void {
  const looks = new SharedLooks<ReadonlyMap<string, TaskCounts>>({ ...pace, ...waitingIn(app, clock) })

  handle(app, routes.listServiceHealth, async ({ query: { ids }, caller: { organizationId }, db }) => {
    const services = await listTaskServices(db, organizationId, ids)
    const look = async (batch: Batch) => {
      const { cloudAccountId, region, clusterArn, serviceArns } = batch
      const account = await findCloudConnection(db, organizationId, cloudAccountId)
      if (!account) throw new NotConnected(cloudAccountId)
      const key = JSON.stringify([organizationId, batch])
      return looks.at(account.id, key, () =>
        readTaskCounts(cloud.clientsFor(account, region).ecs, clusterArn, serviceArns),
      )
    }
    const batches = batchesOf(services)
    const seen = await Promise.all(batches.map((batch) => shownOrTold(failures.tasksNotShown.code, () => look(batch))))
    // A service is in one batch, as it is in one cluster; of another account it may have the same name.
    const data = batches.flatMap(({ cloudAccountId }, at): ServiceHealth[] => {
      const one = seen[at]
      if (!one || 'error' in one) return []
      const { at: observedAt, value } = one.value
      return services.flatMap((service) => {
        const counts = service.cloudAccountId === cloudAccountId ? value.get(service.serviceArn) : undefined
        const { moduleInstanceId } = service
        return counts ? [{ moduleInstanceId, ...counts, observedAt: observedAt.toISOString() }] : []
      })
    })
    return { data, errors: eachOnce(seen.flatMap((one) => ('error' in one ? [one.error] : []))) }
  })
}

const eachOnce = (errors: readonly UserFacingError[]): UserFacingError[] => [
  ...new Map(errors.map((error) => [error.message, error])).values(),
]
