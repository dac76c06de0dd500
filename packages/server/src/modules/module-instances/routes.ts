import { routes, type UpdateModuleInstance } from '@sluice/contract'
import { authorOf, type CallerRequest } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { nameOf } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { triggerSourceOf } from '../../platform/http/channel.ts'
import { handle } from '../../platform/http/handle.ts'
import { includedIn } from '../../platform/http/include.ts'
import { inUse, missing } from '../../platform/http/references.ts'
import { requireAdditionalPermission } from '../../platform/http/rights.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { present } from '../../platform/present.ts'
import { createInstance } from './create.ts'
import { validateDraft } from './draft.ts'
import { formOf, upgradeBetween } from './form.ts'
import { hasInfrastructure } from './infrastructure.ts'
import { loadGraph } from './load.ts'
import { findVersionOf } from './module.ts'
import type { InstanceRuns, RunOrder } from './runs.ts'
import type { HasHistory, OnInstancePlaced } from './store.ts'
import {
  findModuleInstance,
  listModuleInstances,
  lockModuleInstance,
  referrersOf,
  removeModuleInstance,
  shareLockReferencesAround,
} from './store.ts'
import type { ModuleInstanceRow } from './tables.ts'
import { updateInstance } from './update.ts'
import { serializeInstance, toWire, uisOf } from './wire.ts'

const resourceType = 'module-instance'

/** Functions of higher layers, injected. */
type Parts = {
  clock: () => Date
  instanceRuns: InstanceRuns
  onInstancePlaced: readonly OnInstancePlaced[]
  hasHistory: HasHistory
  removeUnusedStack: (tx: Db, organizationId: string, id: string) => Promise<void>
}

export function serveModuleInstances(app: App, parts: Parts): void {
  serveInstances(app, parts)
  serveForms(app)
  serveApply(app, parts)
}

function serveInstances(app: App, parts: Parts): void {
  const { clock, instanceRuns, onInstancePlaced, hasHistory, removeUnusedStack } = parts

  async function runIfAsked(tx: Db, row: ModuleInstanceRow, { runStack }: { runStack?: boolean }, order: RunOrder) {
    const { instances, runIds } = runStack
      ? await instanceRuns.start(tx, row, 'change', order)
      : { instances: [], runIds: [] }
    return { instance: instances[0] ?? row, runIds }
  }

  handle(app, routes.createModuleInstance, ({ body: { data }, caller, db, request, afterwards }) =>
    rejectGivenIdTaken(data.givenId, () =>
      db.transaction(async (tx) => {
        const created = await createInstance(tx, caller.organizationId, data)
        for (const subscriber of onInstancePlaced) await subscriber(tx, caller.organizationId, created.id)
        const order = orderOf({ caller, request }, data.autoapprove, clock())
        const { instance, runIds } = await runIfAsked(tx, created, data, order)
        const change = { action: 'module-instances.create', resourceType, resourceId: instance.id, of: instance }
        await recordChange(tx, { caller, request }, { ...change, details: withoutValues(data) })
        afterwards(() => instanceRuns.tell(runIds))
        return { data: await serializeInstance(tx, instance) }
      }),
    ),
  )

  handle(app, routes.listModuleInstances, async ({ query, caller, db }) => {
    const page = app.openPage(routes.listModuleInstances, caller, query)
    const found = await listModuleInstances(db, caller.organizationId, query, page)
    const uis = await uisOf(db, caller.organizationId, found.rows)
    return page.reply(found, (row) => toWire(row, uis.get(row.id)))
  })

  handle(app, routes.getModuleInstance, async ({ params, query, caller, db }) => {
    const instance = await findModuleInstance(db, caller.organizationId, params.id)
    if (!instance) throw notFound(params.id)
    return withIncluded(db, instance, query)
  })

  handle(app, routes.updateModuleInstance, async ({ params, body, caller, db, request, afterwards }) => {
    const { data } = body
    const moved = data.environmentId && (await findModuleInstance(db, caller.organizationId, params.id))
    if (moved && moved.environmentId !== data.environmentId) {
      // Leaving an environment also leaves its freezes, approval rules and policies.
      const input = { params, query: {}, body }
      await requireAdditionalPermission(app, routes.updateModuleInstance, 'environments:write', { input, caller, db })
    }
    return rejectGivenIdTaken(data.givenId, () =>
      db.transaction(async (tx) => {
        await shareLockReferencesAround(tx, caller.organizationId, params.id)
        const before = await lockModuleInstance(tx, caller.organizationId, params.id)
        if (!before) throw notFound(params.id)
        const changed = await updateInstance(tx, before, data)
        for (const subscriber of onInstancePlaced) await subscriber(tx, caller.organizationId, changed.id)
        const order = orderOf({ caller, request }, data.autoapprove, clock())
        const { instance, runIds } = await runIfAsked(tx, changed, data, order)
        const change = { action: 'module-instances.update', resourceType, resourceId: instance.id, of: instance }
        await recordChange(tx, { caller, request }, { ...change, details: withoutValues(data) })
        afterwards(() => instanceRuns.tell(runIds))
        return { data: await serializeInstance(tx, instance) }
      }),
    )
  })

  handle(app, routes.deleteModuleInstance, ({ params, query, caller, db, request, reply, afterwards }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const instance = await lockModuleInstance(tx, organizationId, params.id)
      if (!instance) throw notFound(params.id)
      if (instance.status === 'DESTROYING') return withIncluded(tx, instance, query)
      if (instance.status === 'DESTROYED') {
        reply.code(204)
        return undefined
      }
      const users = [
        ...(await referrersOf(tx, organizationId, instance.id)),
        ...(await app.findDependents('module-instances', tx, organizationId, instance.id)),
      ]
      if (users.length > 0) throw inUse('moduleInstanceInUse', `module instance ${instance.givenId}`, users)
      let destroying: ModuleInstanceRow | undefined
      if (await hasInfrastructure(tx, instance)) {
        const order = orderOf({ caller, request }, query.autoapprove, clock())
        const { instances, runIds } = await instanceRuns.start(tx, instance, 'destroy', order)
        afterwards(() => instanceRuns.tell(runIds))
        destroying = instances[0] ?? instance
      } else {
        await removeModuleInstance(tx, organizationId, instance.id, hasHistory)
        if (instance.stackId !== null) await removeUnusedStack(tx, organizationId, instance.stackId)
      }
      const change = { action: 'module-instances.delete', resourceType, resourceId: instance.id, of: instance }
      await recordChange(tx, { caller, request }, change)
      if (destroying) return withIncluded(tx, destroying, query)
      reply.code(204)
      return undefined
    }),
  )
}

function serveForms(app: App): void {
  handle(app, routes.getModuleInstanceInputs, async ({ params, caller, db }) => {
    const { organizationId } = caller
    const instance = await findModuleInstance(db, organizationId, params.id)
    if (!instance) throw notFound(params.id)
    const graph = await loadGraph(db, organizationId, [instance.id])
    const { version } = graph.find(instance.id)
    const resolution = graph.resolve(instance.id)
    return {
      data: {
        moduleInstanceId: instance.id,
        moduleVersionId: version.id,
        version: version.version,
        values: resolution.values,
        errors: resolution.faults,
        form: await formOf(db, organizationId, resolution),
      },
    }
  })

  handle(app, routes.getModuleInstanceUpgrade, async ({ params, query, caller, db }) => {
    const { organizationId } = caller
    const instance = await findModuleInstance(db, organizationId, params.id)
    if (!instance) throw notFound(params.id)
    const version = await findVersionOf(db, instance, query.moduleVersionId)
    const before = await loadGraph(db, organizationId, [instance.id])
    const placed = before.find(instance.id)
    const draft = { ...placed, version: { id: version.id, version: version.version, config: version.config } }
    const { resolution, faults } = await validateDraft(db, organizationId, draft, placed, instance)
    const from = { placed, resolution: before.resolve(instance.id) }
    return { data: upgradeBetween(from, { placed: draft, resolution }, faults) }
  })
}

function serveApply(app: App, { clock, instanceRuns }: Parts): void {
  handle(app, routes.applyModuleInstances, ({ body: { data }, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const order = orderOf({ caller, request }, data.autoapprove, clock())
      const { instances, runIds } = await instanceRuns.applyInOrder(tx, organizationId, data.ids, order)
      for (const instance of instances) {
        const about = { resourceType, resourceId: instance.id, of: instance }
        const change = { action: 'module-instances.apply', ...about, details: data }
        await recordChange(tx, { caller, request }, change)
      }
      afterwards(() => instanceRuns.tell(runIds))
      const uis = await uisOf(tx, organizationId, instances)
      return { data: instances.map((row) => toWire(row, uis.get(row.id))) }
    }),
  )
}

async function withIncluded(db: Db, instance: ModuleInstanceRow, query: { include?: 'infrastructure'[] }) {
  const infrastructure = async () => present({ latestRunId: instance.latestRunId ?? undefined })
  return { data: await serializeInstance(db, instance), ...(await includedIn(query, { infrastructure })) }
}

const orderOf = (asked: CallerRequest, autoapprove: boolean | undefined, now: Date): RunOrder => ({
  author: authorOf(asked),
  isAutoApproved: autoapprove === true,
  triggerSource: triggerSourceOf(asked),
  triggeredBy: nameOf(asked.caller),
  now,
})

const rejectGivenIdTaken = <T>(givenId: string | undefined, change: () => Promise<T>): Promise<T> =>
  rejectTaken('module_instances_environment_given_id', () => givenIdTaken(givenId), change)

const givenIdTaken = (givenId: string | undefined) =>
  new ApiError(
    'moduleInstanceGivenIdTaken',
    givenId === undefined
      ? 'The environment has a module instance with the same givenId already; send another with the environmentId.'
      : `There is another module instance ${givenId} in this environment; choose another givenId.`,
  )

const notFound = (id: string) => missing('moduleInstanceNotFound', 'module instance', id)

/** Removes input values for the audit log, because they may be secrets. */
const withoutValues = ({ input, ...rest }: UpdateModuleInstance): Record<string, unknown> =>
  input === undefined ? rest : { ...rest, input: Object.keys(input) }
