import { type Hold, routes } from '@sluice/contract'
import type { Logger } from 'pino'
import { authorOf } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Engine } from '../../platform/engine/client.ts'
import { createDispatch } from '../../platform/engine/dispatch.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { missing } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { findEnvironment, lockEnvironment } from '../../projects/environments/store.ts'
import { lockScope } from '../lock-scope.ts'
import type { ReconcileDeployments } from '../reconcile.ts'
import { countHolds, findHoldRule, holdStore, liftHold, listHolds, saveHoldRule } from './store.ts'
import type { HoldRow } from './tables.ts'

const resourceType = 'hold'

type Parts = {
  engine: Engine
  openPage: OpenPage
  reconcileDeployments: ReconcileDeployments
  clock: () => Date
  log: Logger
}

export function serveHolds(app: App, { engine, openPage, reconcileDeployments, clock, log }: Parts): void {
  const dispatch = createDispatch({ engine, log })
  app.addHook('onClose', dispatch.settled)

  handle(app, routes.createHold, ({ body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const { reason, ...named } = data
      const { projectId, environmentId, moduleInstanceId } = await lockScope(tx, organizationId, named)
      if (projectId === null || environmentId === null) throw bodyInvalid([nothingNamed])
      const place = { projectId, environmentId, moduleInstanceId }
      if ((await countHolds(tx, organizationId, place)) >= maxHolds) throw tooMany()
      const { actorName: heldBy } = authorOf({ caller, request })
      const row = await holdStore.insert(tx, { organizationId, ...place, reason, origin: 'USER', heldBy })
      const change = {
        action: 'holds.create',
        resourceType,
        resourceId: row.id,
        of: row,
        details: { reason, ...place },
      }
      await recordChange(tx, { caller, request }, change)
      return { data: serialize(row) }
    }),
  )

  handle(app, routes.listHolds, async ({ query, caller, db }) => {
    const page = openPage(routes.listHolds, caller, query)
    return page.reply(await listHolds(db, caller.organizationId, query, page), serialize)
  })

  handle(app, routes.getHold, async ({ params, caller, db }) => ({
    data: serialize(await holdNamed(db, caller.organizationId, params.id)),
  }))

  handle(app, routes.liftHold, ({ params, body: { data }, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const { actorName: by } = authorOf({ caller, request })
      const now = clock()
      const row = await liftHold(tx, organizationId, params.id, { by, reason: data.reason, now })
      if (!row) throw released(await holdNamed(tx, organizationId, params.id))
      const before = { reason: row.reason, heldBy: row.heldBy }
      const change = { action: 'holds.release', resourceType, resourceId: row.id, of: row, details: data, before }
      await recordChange(tx, { caller, request }, change)
      const messages = await reconcileDeployments(tx, organizationId, now, row)
      afterwards(() => {
        for (const message of messages) dispatch.soon(message)
      })
      return { data: serialize(row) }
    }),
  )

  handle(app, routes.getHoldRule, async ({ params: { id }, caller: { organizationId }, db }) => {
    if (!(await findEnvironment(db, organizationId, id))) throw environmentNotFound(id)
    return { data: await findHoldRule(db, organizationId, id) }
  })

  handle(app, routes.updateHoldRule, (call) =>
    call.db.transaction(async (tx) => {
      const { id } = call.params
      const { organizationId } = call.caller
      const environment = await lockEnvironment(tx, organizationId, id)
      if (!environment) throw environmentNotFound(id)
      const before = await findHoldRule(tx, organizationId, id)
      const rule = { ...before, ...call.body.data }
      const { projectId } = environment
      await saveHoldRule(tx, { environmentId: id, organizationId, projectId, ...rule })
      const change = { action: 'environments.set-hold-rule', resourceType: 'environment', resourceId: id, before }
      await recordChange(tx, call, { ...change, of: { projectId, environmentId: id }, details: rule })
      return { data: rule }
    }),
  )
}

async function holdNamed(db: Db, organizationId: string, id: string): Promise<HoldRow> {
  const row = await holdStore.find(db, organizationId, id)
  if (!row) throw missing('holdNotFound', 'hold', id)
  return row
}

const nothingNamed = '$.data: expected moduleInstanceId or environmentId'

/** Maximum number of holds of an instance or environment, because all are evaluated for each release. */
const maxHolds = 20

const tooMany = () =>
  new ApiError('tooManyHolds', `${maxHolds} holds apply already, which is the maximum. Lift some of them: GET /holds.`)

const released = ({ id, liftedBy, liftedAt }: HoldRow) =>
  new ApiError('holdReleased', `${liftedBy} lifted ${id} at ${liftedAt?.toISOString()}.`)

const environmentNotFound = (id: string) => missing('environmentNotFound', 'environment', id)

const serialize = (row: HoldRow): Hold =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    projectId: row.projectId,
    environmentId: row.environmentId,
    moduleInstanceId: row.moduleInstanceId ?? undefined,
    reason: row.reason,
    origin: row.origin,
    deploymentId: row.deploymentId ?? undefined,
    heldBy: row.heldBy,
    liftedAt: row.liftedAt?.toISOString(),
    liftedBy: row.liftedBy ?? undefined,
    liftReason: row.liftReason ?? undefined,
  })
