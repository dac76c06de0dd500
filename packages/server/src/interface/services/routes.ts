import { routes, type Service, type ServiceInEnvironment, versionOf } from '@sluice/contract'
import { promotionCandidatesAt } from '../../delivery/promotions/candidates.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { includedInEach } from '../../platform/http/include.ts'
import { present } from '../../platform/present.ts'
import { readOrder } from '../../projects/environment-order/store.ts'
import { compare, type Group, promotionSteps, type ServiceInstance, servicesOf, statesOf } from './machine.ts'
import { type DeploymentSummary, readDeploymentSummaries, readInstances } from './store.ts'

export function serveServices(app: App, { clock }: { clock: () => Date }): void {
  handle(app, routes.listServices, async ({ query, caller: { organizationId }, db }) => {
    const page = app.openPage(routes.listServices, { organizationId }, query)
    const { projectId, releasedBy } = query
    const standings = await readInstances(db, { organizationId, projectId }, releasedBy !== undefined)
    const all = servicesOf(standings, query)
    const { before: last } = page // last one of the previous page, because IDs are positions
    const rest = last === undefined ? all : all.filter(({ id }) => compare(id, last) > 0)
    const rows = rest.slice(0, page.limit + 1)
    const ids = rows.flatMap(({ places }) => places.flatMap(deploymentsOf))
    const shown = await readDeploymentSummaries(db, organizationId, ids)
    const reply = page.reply({ rows, totalCount: all.length }, (group) => toWire(group, shown))
    const listed = rows.slice(0, reply.data.length)
    const byGivenId = listed.map((group) => ({ ...group, id: group.givenId }))
    const included = await includedInEach(query, byGivenId, {
      promotionCandidates: async () => {
        const order = await readOrder(db, organizationId, projectId)
        const waysOf = (group: Group) => promotionSteps(group, order)
        const known = await promotionCandidatesAt(db, { organizationId, projectId }, listed.flatMap(waysOf), clock())
        return (group) => waysOf(group).flatMap(({ moduleInstanceId }) => known.get(moduleInstanceId) ?? [])
      },
    })
    return { ...reply, ...included }
  })

  handle(app, routes.listServiceStates, async ({ query: { ids }, caller: { organizationId }, db }) => {
    const standings = await readInstances(db, { organizationId, ids }, false)
    const shown = await readDeploymentSummaries(db, organizationId, standings.flatMap(deploymentsOf))
    return { data: standings.toSorted((a, b) => compare(a.id, b.id)).map((place) => placeToWire(place, shown)) }
  })
}

const deploymentsOf = ({ runningId, underWayId, failedId }: ServiceInstance): string[] =>
  [runningId, underWayId, failedId].filter((id) => id !== null)

type ById = ReadonlyMap<string, DeploymentSummary>

const toWire = ({ givenId, places }: Group, shown: ById): Service => ({
  givenId,
  name: places[0]?.name ?? givenId,
  places: places.map((place) => placeToWire(place, shown)),
})

function placeToWire(place: ServiceInstance, shown: ById): ServiceInEnvironment {
  const { id, environmentId, name, type, status, hold, driftedResources } = place
  const [running, inProgress, failed] = [place.runningId, place.underWayId, place.failedId].map((id) =>
    shown.get(id ?? ''),
  )
  return present({
    moduleInstanceId: id,
    environmentId,
    name,
    type,
    status,
    states: statesOf(place),
    driftedResources,
    hold: hold ?? undefined,
    running: running && {
      ...released(running),
      since: (running.completedAt ?? running.createdAt).toISOString(),
      isRollback: running.isRollback,
      ...present({ runningTasks: running.runningTasks ?? undefined, desiredTasks: running.desiredTasks ?? undefined }),
    },
    inProgress: inProgress && {
      ...released(inProgress),
      status: inProgress.status,
      since: (inProgress.startedAt ?? inProgress.createdAt).toISOString(),
      isPaused: place.isPaused,
      waiting: place.waiting,
      ...present({
        stepCode: inProgress.stepCode ?? undefined,
        previousVersion: inProgress.previousVersion,
        newTrafficPercent: inProgress.newTrafficPercent ?? undefined,
        pausedUntil: inProgress.pausedUntil ?? undefined,
        hasRunningChecks: inProgress.hasRunningChecks,
        message: inProgress.queueMessage ?? undefined,
      }),
    },
    failed: failed && {
      ...released(failed),
      status: failed.status,
      at: (failed.completedAt ?? failed.createdAt).toISOString(),
      ...present({ message: failed.message ?? undefined }),
    },
  })
}

const released = (row: DeploymentSummary) => ({
  deploymentId: row.id,
  ...present({ version: versionOf(row), by: row.by ?? undefined }),
})
