import { type CreateFreeze, type Freeze, type FreezeOverride, type FreezeWindow, routes } from '@sluice/contract'
import type { Logger } from 'pino'
import { authorOf } from '../../identity/audit-events/author.ts'
import { previousValues, recordChange } from '../../identity/audit-events/record.ts'
import type { Engine } from '../../platform/engine/client.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { includedIn } from '../../platform/http/include.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { missing } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { isActiveAt, periodAt, windowFaults } from '../../platform/time-windows.ts'
import { lockScope } from '../lock-scope.ts'
import { type Reconcile, type ReconcileDeployments, reconciling } from '../reconcile.ts'
import { concerns } from '../scope.ts'
import { requirePermissionInAllEnvironments } from '../scope-permissions.ts'
import { freezeStore, overrides } from './store.ts'
import type { FreezeOverrideRow, FreezeRow } from './tables.ts'

const resourceType = 'freeze'

type Parts = {
  engine: Engine
  openPage: OpenPage
  clock: () => Date
  log: Logger
  reconcileDeployments: ReconcileDeployments
  /** Has runs that wait for the end of a freeze evaluated again. Returns the messages to send after the commit. */
  reconcileRuns: Reconcile
}

export function serveFreezes(app: App, parts: Parts): void {
  const { openPage, clock, reconcileDeployments, reconcileRuns } = parts
  const wake = reconciling(app, parts, reconcileDeployments, reconcileRuns)

  handle(app, routes.createFreeze, ({ body: { data }, caller, db, request, afterwards }) => {
    rejectWrongWindow(data.window)
    const { projectId, environmentId, moduleInstanceId, ...given } = data
    const rules = { ...usual, ...given }
    return db.transaction(async (tx) => {
      const { organizationId } = caller
      if ((await freezeStore.count(tx, organizationId)) >= maxFreezes) throw tooMany()
      const place = await lockScope(tx, organizationId, present({ projectId, environmentId, moduleInstanceId }))
      const { actorName } = authorOf({ caller, request })
      const row = await freezeStore.insert(tx, { organizationId, ...place, ...rules, createdBy: actorName })
      const change = {
        action: 'freezes.create',
        resourceType,
        resourceId: row.id,
        of: row,
        details: { ...rules, ...place },
      }
      await recordChange(tx, { caller, request }, change)
      afterwards(await wake(tx, organizationId))
      return { data: serialize(row, clock()) }
    })
  })

  handle(app, routes.listFreezes, async ({ query, caller, db }) => {
    const page = openPage(routes.listFreezes, caller, query)
    const now = clock()
    return page.reply(await freezeStore.list(db, caller.organizationId, query, page), (row) => serialize(row, now))
  })

  handle(app, routes.listActiveFreezes, async ({ query, caller, db }) => {
    const now = clock()
    const soon = new Date(now.getTime() + query.withinHours * 3_600_000)
    const rows = (await freezeStore.all(db, caller.organizationId)).filter(
      (row) => concerns(row, query) && beginsBy(row, now, soon),
    )
    const included = await includedIn(query, {
      overrides: async () => {
        const inForce = await overrides.inForce(db, caller.organizationId, now)
        return inForce.filter(({ freezeId }) => rows.some(({ id }) => id === freezeId)).map(serializeOverride)
      },
    })
    return { data: rows.map((row) => serialize(row, now)), ...included }
  })

  handle(app, routes.getFreeze, async ({ params, caller, db }) => {
    const row = await freezeStore.find(db, caller.organizationId, params.id)
    if (!row) throw notFound(params.id)
    return { data: serialize(row, clock()) }
  })

  handle(app, routes.updateFreeze, async ({ params, body: { data }, caller, db, request, afterwards }) => {
    if (data.window) rejectWrongWindow(data.window)
    return db.transaction(async (tx) => {
      const before = await freezeStore.lock(tx, caller.organizationId, params.id)
      if (!before) throw notFound(params.id)
      const row = await freezeStore.update(tx, before.id, data)
      const change = { action: 'freezes.update', resourceType, resourceId: row.id, of: row, details: data }
      await recordChange(tx, { caller, request }, { ...change, before: previousValues(before, data) })
      afterwards(await wake(tx, caller.organizationId))
      return { data: serialize(row, clock()) }
    })
  })

  handle(app, routes.deleteFreeze, ({ params, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const row = await freezeStore.remove(tx, caller.organizationId, params.id)
      if (!row) throw notFound(params.id)
      const before = { name: row.name, window: row.window, stops: row.stops }
      await recordChange(
        tx,
        { caller, request },
        { action: 'freezes.delete', resourceType, resourceId: row.id, of: row, before },
      )
      afterwards(await wake(tx, caller.organizationId))
    }),
  )

  handle(app, routes.createFreezeOverride, ({ params, body: { data }, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const freeze = await freezeStore.lock(tx, organizationId, params.id)
      if (!freeze) throw notFound(params.id)
      const { moduleInstanceId, reason, minutes = 60 } = data
      if (moduleInstanceId === undefined)
        await requirePermissionInAllEnvironments(tx, caller, freeze, 'freezes:override')
      const place =
        moduleInstanceId === undefined ? placeOf(freeze) : await lockScope(tx, organizationId, { moduleInstanceId })
      const until = new Date(clock().getTime() + minutes * 60_000)
      const { actorName: createdBy } = authorOf({ caller, request })
      const given = { organizationId, freezeId: freeze.id, ...place, reason, until, createdBy }
      const row = await overrides.insert(tx, given)
      await freezeStore.update(tx, freeze.id, {}) // subscribers see an override as a change of the freeze
      const details = { reason, until: until.toISOString(), ...present({ moduleInstanceId }) }
      const change = { action: 'freezes.override', resourceType, resourceId: freeze.id, of: freeze, details }
      await recordChange(tx, { caller, request }, change)
      afterwards(await wake(tx, organizationId))
      return { data: serializeOverride(row) }
    }),
  )

  handle(app, routes.listFreezeOverrides, async ({ params, query, caller, db }) => {
    const page = openPage(routes.listFreezeOverrides, caller, { ...query, ...params })
    const freeze = await freezeStore.find(db, caller.organizationId, params.id)
    if (!freeze) throw notFound(params.id)
    return page.reply(await overrides.list(db, freeze, page), serializeOverride)
  })
}

const usual = { mode: 'ENFORCE', onRelease: 'WAIT', afterwards: 'ALL' } as const satisfies Partial<CreateFreeze>

function rejectWrongWindow(window: FreezeWindow): void {
  const faults = windowFaults(window, '$.data.window')
  if (faults.length > 0) throw bodyInvalid(faults)
}

function beginsBy({ window }: FreezeRow, now: Date, soon: Date): boolean {
  const period = periodAt(window, now)
  return period !== undefined && period.from <= soon
}

const placeOf = ({ projectId, environmentId, moduleInstanceId }: FreezeRow) => ({
  projectId,
  environmentId,
  moduleInstanceId,
})

/** Maximum number of freezes of an organization, because all are evaluated for each release. */
const maxFreezes = 200

const tooMany = () =>
  new ApiError('tooManyFreezes', `An organization can have at most ${maxFreezes} freezes. Delete some that have ended.`)

const notFound = (id: string) => missing('freezeNotFound', 'freeze', id)

function serialize(row: FreezeRow, now: Date): Freeze {
  const period = periodAt(row.window, now)
  return present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    projectId: row.projectId ?? undefined,
    environmentId: row.environmentId ?? undefined,
    moduleInstanceId: row.moduleInstanceId ?? undefined,
    name: row.name,
    reason: row.reason ?? undefined,
    window: row.window,
    stops: row.stops,
    mode: row.mode,
    onRelease: row.onRelease,
    afterwards: row.afterwards,
    isActive: period !== undefined && isActiveAt(period, now),
    period: period && { from: period.from.toISOString(), until: period.until.toISOString() },
    createdBy: row.createdBy,
  })
}

const serializeOverride = (row: FreezeOverrideRow): FreezeOverride =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    freezeId: row.freezeId,
    moduleInstanceId: row.moduleInstanceId ?? undefined,
    reason: row.reason,
    until: row.until.toISOString(),
    createdBy: row.createdBy,
  })
