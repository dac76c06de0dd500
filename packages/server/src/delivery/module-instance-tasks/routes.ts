import { failures, routes } from '@sluice/contract'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { readTaskLog } from '../../cloud/adapter/ecs/running.ts'
import type { ContainerLog, ObservedTasks } from '../../cloud/facts/running.ts'
import { clocksFor } from '../../cloud/observations/clocks.ts'
import { ObservationCache } from '../../cloud/observations/observation-cache.ts'
import { valueOrError } from '../../cloud/observations/observation-errors.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { readInstanceTasks } from './read.ts'
import { namesIn, serializeTask } from './representation.ts'
import { deploymentsCalled, findTaskTarget, latestSuccess, type TaskTarget } from './target.ts'

/**
 * Cache and rate settings, per process. Reading a service takes up to seven requests; two reads per second leave most
 * of an account's rate to its releases (20 `DescribeTasks` and `ListTasks` per second: "Request throttling for the
 * Amazon ECS API", read 2026-11).
 */
const pace = { cacheTtlMs: 5_000, minIntervalMs: 500, maxWaitMs: 4_000 }

const { tasksNotShown, taskNotFound } = failures

/** Serves the current tasks of instances from the cloud. */
export function serveModuleInstanceTasks(app: App, { cloud, clock }: { cloud: Cloud; clock: () => Date }): void {
  const waiting = clocksFor(app, clock)
  const looks = new ObservationCache<ObservedTasks>({ ...pace, ...waiting })
  const logs = new ObservationCache<ContainerLog[] | undefined>({ ...pace, ...waiting })

  handle(app, routes.listModuleInstanceTasks, async ({ params: { id }, caller: { organizationId }, db }) => {
    const found = await valueOrError(tasksNotShown.code, async () => {
      const target = await findTaskTarget(db, organizationId, id)
      if (!target) return undefined
      const { account, region, place } = target
      const look = () => readInstanceTasks(cloud.clientsFor(account, region), place)
      return { target, ...(await looks.get(account.id, keyOf(organizationId, target), look)) }
    })
    const nothing = { data: [], meta: { observedAt: clock().toISOString(), isComplete: true } }
    if ('error' in found) return { ...nothing, meta: { ...nothing.meta, error: found.error } }
    if (!found.value) return nothing
    const { target, at, value } = found.value
    const brought = await deploymentsCalled(db, organizationId, id, namesIn(target.place, value.all))
    const current = target.place.type === 'cloud:ec2' ? await latestSuccess(db, organizationId, id) : undefined
    const data = value.all.map((one) => serializeTask(one, { place: target.place, brought, current }))
    return { data, meta: { observedAt: at.toISOString(), isComplete: value.isComplete } }
  })

  handle(app, routes.getModuleInstanceTaskLog, async ({ params: { id }, query, caller: { organizationId }, db }) => {
    const found = await valueOrError(tasksNotShown.code, async () => {
      const target = await findTaskTarget(db, organizationId, id)
      if (target?.place.type !== 'cloud:ecs') return undefined
      const { account, region, place } = target
      const key = JSON.stringify([keyOf(organizationId, target), query.task])
      const read = () => readTaskLog(cloud.clientsFor(account, region), place, query.task)
      return (await logs.get(account.id, key, read)).value
    })
    if ('error' in found) return { data: { containers: [], error: found.error } }
    if (!found.value) {
      const message = `The module instance has no task ${query.task} now; of those that stopped, the cloud keeps the last hour.`
      return { data: { containers: [], error: { code: taskNotFound.code, message } } }
    }
    const containers = found.value.map(({ lines, ...container }) => ({
      ...container,
      lines: lines.map(({ timestamp, message }) => ({ timestamp: timestamp.toISOString(), message })),
    }))
    return { data: { containers } }
  })
}

/** Returns the cache key, which callers of the same organization share for an account. */
const keyOf = (organizationId: string, { account, region, place }: TaskTarget): string =>
  JSON.stringify([organizationId, account.id, region, place])
