import { type Rehearsal, type RehearsalSummary, rehearsalScenarios, routes } from '@sluice/contract'
import type { Logger } from 'pino'
import { authorOf } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Engine } from '../../platform/engine/client.ts'
import { createDispatch } from '../../platform/engine/dispatch.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { missing } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { expectNotDestroyed, resolveRelease } from '../deployments/create/accept.ts'
import { later } from '../deployments/execution/state.ts'
import {
  countUnfinishedRehearsals,
  findRehearsal,
  insertRehearsal,
  listRehearsals,
  type RehearsalListRow,
} from './store.ts'
import type { RehearsalRow } from './tables.ts'
import { toRehearsal } from './wake.ts'

/** Time in milliseconds after which the reconciler detects a rehearsal whose message was lost. */
const noticedAfterMs = 5_000

type Parts = { engine: Engine; openPage: OpenPage; clock: () => Date; log: Logger }

export function serveRehearsals(app: App, { engine, openPage, clock, log }: Parts): void {
  const dispatch = createDispatch({ engine, log })
  app.addHook('onClose', dispatch.settled)

  handle(app, routes.createRehearsal, async ({ body: { data }, caller, request, db, afterwards }) => {
    const { organizationId } = caller
    const { moduleInstanceId, inputs = {}, scenarios = [...rehearsalScenarios] } = data
    await app.limits.admit('rehearsals', (most) => countUnfinishedRehearsals(db, organizationId, most))
    const { instance, release } = await resolveRelease(db, { organizationId }, { moduleInstanceId, inputs })
    expectNotDestroyed(instance.status, moduleInstanceId)
    if (release.type !== 'cloud:ecs') throw notSupported(release.type)
    const author = authorOf({ caller, request })
    const now = clock()
    const row = await db.transaction(async (tx) => {
      const { projectId, environmentId } = instance
      const inserted = await insertRehearsal(tx, {
        ...{ organizationId, projectId, environmentId, moduleInstanceId, release, scenarioNames: scenarios },
        ...{ triggeredBy: author.actorName, createdAt: now, updatedAt: now, wakeAt: later(now, noticedAfterMs) },
      })
      const details = { moduleInstanceId, inputs: Object.keys(inputs), scenarios }
      const change = { action: 'rehearsals.create', resourceType: 'rehearsal', resourceId: inserted.id, details }
      await recordChange(tx, { caller, request }, { ...change, of: inserted })
      return inserted
    })
    afterwards(() => dispatch.soon(toRehearsal(row.id)))
    return { data: serializeRehearsal(row) }
  })

  handle(app, routes.listRehearsals, async ({ query, caller, db }) => {
    const page = openPage(routes.listRehearsals, caller, query)
    return page.reply(await listRehearsals(db, caller.organizationId, query, page), serializeListed)
  })

  handle(app, routes.getRehearsal, async ({ params: { id }, caller, db }) => {
    const row = await findRehearsal(db, caller.organizationId, id)
    if (!row) throw missing('rehearsalNotFound', 'rehearsal', id)
    return { data: serializeRehearsal(row) }
  })
}

const notSupported = (type: string) =>
  new ApiError(
    'rehearsalNotSupported',
    `Cannot rehearse a release of type ${type}: only releases of container services (cloud:ecs) can be rehearsed.`,
  )

/** Until the rehearsal has finished, its scenarios have the status of the rehearsal and an empty timeline. */
function serializeRehearsal(row: RehearsalRow): Rehearsal {
  const { status, scenarioNames } = row
  const unfinished = scenarioNames.map((name) => ({ name, status, timeline: [] }))
  return { ...serializeShared(row), scenarios: status === 'SUCCESS' ? row.scenarios : unfinished }
}

function serializeListed(row: RehearsalListRow): RehearsalSummary {
  const { status, scenarioNames } = row
  return {
    ...serializeShared(row),
    scenarios: status === 'SUCCESS' ? row.scenarios : scenarioNames.map((name) => ({ name, status })),
  }
}

const serializeShared = (row: RehearsalListRow | RehearsalRow) =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    projectId: row.projectId,
    environmentId: row.environmentId,
    moduleInstanceId: row.moduleInstanceId,
    status: row.status,
    triggeredBy: row.triggeredBy,
    completedAt: row.completedAt?.toISOString(),
    error: row.error ?? undefined,
    assumptions: row.assumptions,
  })
