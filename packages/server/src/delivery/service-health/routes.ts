import {
  failures,
  imageOfDefinition,
  routes,
  type ServiceHealth,
  type UserFacingError,
  versionOf,
} from '@sluice/contract'
import type { Cloud, CloudClients } from '../../cloud/adapter/access.ts'
import { readOptional } from '../../cloud/adapter/cloud-call.ts'
import { readTaskCounts } from '../../cloud/adapter/ecs/running.ts'
import { readTaskDefinition } from '../../cloud/adapter/ecs/task-definitions.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import type { TaskCounts } from '../../cloud/facts/running.ts'
import { clocksFor } from '../../cloud/observations/clocks.ts'
import { ObservationCache, type Observed } from '../../cloud/observations/observation-cache.ts'
import { NotConnected, valueOrError } from '../../cloud/observations/observation-errors.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { present } from '../../platform/present.ts'
import { PromiseCache } from '../../platform/promise-cache.ts'
import { type Batch, batchesOf } from './batches.ts'
import { listTaskServices, type TaskService } from './store.ts'

/**
 * Cache and rate settings, per process. A request reads up to ten services; five per second leave most of an account's
 * rate to its releases (20 `DescribeServices` per second: "Request throttling for the Amazon ECS API", read 2026-11).
 */
const pace = { cacheTtlMs: 10_000, minIntervalMs: 200, maxWaitMs: 4_000 }

/** Maximum number of cached versions. A task definition never changes, so its version is read once. */
const maxVersions = 5_000

/** Result of one request: task counts by service, and the versions of services whose version only the cloud knows. */
type HealthRead = { counts: ReadonlyMap<string, TaskCounts>; versions: ReadonlyMap<string, string> }

/**
 * Serves the number of running tasks of several services, and their versions if only the cloud knows them, for long
 * lists.
 */
export function serveServiceHealth(app: App, { cloud, clock }: { cloud: Cloud; clock: () => Date }): void {
  const looks = new ObservationCache<HealthRead>({ ...pace, ...clocksFor(app, clock) })
  const versionsRead = new PromiseCache<string | undefined>({ max: maxVersions })

  handle(app, routes.listServiceHealth, async ({ query: { ids }, caller: { organizationId }, db }) => {
    const services = await listTaskServices(db, organizationId, ids)
    const unknown = new Set(services.flatMap((one) => (one.isVersionUnknown ? [one.serviceArn] : [])))

    async function look(batch: Batch) {
      const { cloudAccountId, region, clusterArn, serviceArns } = batch
      const account = await findCloudConnection(db, organizationId, cloudAccountId)
      if (!account) throw new NotConnected(cloudAccountId)
      const { ecs } = cloud.clientsFor(account, region)
      const nameless = serviceArns.filter((arn) => unknown.has(arn))
      return looks.get(account.id, JSON.stringify([organizationId, batch, nameless]), async () => {
        const counts = await readTaskCounts(ecs, clusterArn, serviceArns)
        const versions = new Map<string, string>()
        for (const serviceArn of nameless) {
          const { taskDefinitionArn } = counts.get(serviceArn) ?? {}
          if (taskDefinitionArn === undefined) continue
          const read = () => readVersion(ecs, taskDefinitionArn)
          const version = await versionsRead.get([organizationId, account.id, taskDefinitionArn], read)
          if (version !== undefined) versions.set(serviceArn, version)
        }
        return { counts, versions }
      })
    }

    const batches = batchesOf(services)
    const seen = await Promise.all(batches.map((batch) => valueOrError(failures.tasksNotShown.code, () => look(batch))))
    // A service belongs to one batch. Another account may have a service with the same name.
    const data = batches.flatMap(({ cloudAccountId }, index): ServiceHealth[] => {
      const one = seen[index]
      if (!one || 'error' in one) return []
      const here = services.filter((service) => service.cloudAccountId === cloudAccountId)
      return here.flatMap((service) => serialize(service, one.value))
    })
    return { data, errors: eachOnce(seen.flatMap((one) => ('error' in one ? [one.error] : []))) }
  })
}

function serialize(
  { moduleInstanceId, serviceArn }: TaskService,
  { at, value }: Observed<HealthRead>,
): ServiceHealth[] {
  const observed = value.counts.get(serviceArn)
  if (!observed) return []
  const { taskDefinitionArn: _, ...counts } = observed
  const version = value.versions.get(serviceArn)
  return [{ moduleInstanceId, ...counts, ...present({ version }), observedAt: at.toISOString() }]
}

/** Reads the version that a task definition releases; undefined if the role cannot read it. */
async function readVersion(ecs: CloudClients['ecs'], taskDefinitionArn: string): Promise<string | undefined> {
  const record = await readOptional(
    () => readTaskDefinition(ecs, taskDefinitionArn),
    () => {},
  )
  return record && versionOf(present({ image: imageOfDefinition(record.definition) }))
}

const eachOnce = (errors: readonly UserFacingError[]): UserFacingError[] => [
  ...new Map(errors.map((error) => [error.message, error])).values(),
]
