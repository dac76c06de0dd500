import { type Rehearsal, type RehearsalSummary, routes } from '@sluice/contract'
import type { Logger } from 'pino'
import { authorOf } from '../../identity/audit-events/author.ts'
import type { Engine } from '../../platform/engine/client.ts'
import { createDispatch } from '../../platform/engine/dispatch.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { missing } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { createRehearsal } from './create.ts'
import { requestedScenarios } from './scenarios.ts'
import { countUnfinishedRehearsals, findRehearsal, listRehearsals, type RehearsalListRow } from './store.ts'
import type { RehearsalRow } from './tables.ts'
import { toRehearsal } from './wake.ts'

type Parts = { engine: Engine; openPage: OpenPage; clock: () => Date; log: Logger }

export function serveRehearsals(app: App, { engine, openPage, clock, log }: Parts): void {
  const dispatch = createDispatch({ engine, log })
  app.addHook('onClose', dispatch.settled)

  handle(app, routes.createRehearsal, async ({ body: { data }, caller, request, db, afterwards }) => {
    const { organizationId } = caller
    const { inputs = {}, ...wish } = data
    if (data.rollbackToDeploymentId !== undefined && Object.keys(inputs).length > 0) {
      throw bodyInvalid(['$.data.inputs: expected none, because a rollback has those of its release'])
    }
    await app.limits.admit('rehearsals', (most) => countUnfinishedRehearsals(db, organizationId, most))
    const author = authorOf({ caller, request })
    const row = await db.transaction((tx) => createRehearsal(tx, author, { ...wish, inputs }, clock()))
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

/** Until the rehearsal has finished, its scenarios have the status of the rehearsal and an empty timeline. */
function serializeRehearsal(row: RehearsalRow): Rehearsal {
  const scenarios = row.status === 'SUCCESS' ? row.scenarios : unfinished(row).map((one) => ({ ...one, timeline: [] }))
  return { ...serializeShared(row), scenarios }
}

function serializeListed(row: RehearsalListRow): RehearsalSummary {
  return { ...serializeShared(row), scenarios: row.status === 'SUCCESS' ? row.scenarios : unfinished(row) }
}

const unfinished = (row: RehearsalListRow | RehearsalRow) =>
  requestedScenarios(row).map((one) => ({ ...(typeof one === 'string' ? { name: one } : one), status: row.status }))

const serializeShared = (row: RehearsalListRow | RehearsalRow) =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    projectId: row.projectId,
    environmentId: row.environmentId,
    moduleInstanceId: row.moduleInstanceId,
    rollbackToDeploymentId: row.rollbackToDeploymentId ?? undefined,
    status: row.status,
    triggeredBy: row.triggeredBy,
    completedAt: row.completedAt?.toISOString(),
    error: row.error ?? undefined,
    assumptions: row.assumptions,
  })
