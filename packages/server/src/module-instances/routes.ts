import { type ModuleInstance, routes, type UpdateModuleInstance } from '@sluice/contract'
import { recordChange } from '../audit-events/record.ts'
import { holdEnvironment } from '../environments/store.ts'
import type { Db } from '../platform/db/open.ts'
import { isReferred } from '../platform/db/violations.ts'
import type { App } from '../platform/http/app.ts'
import { handle } from '../platform/http/handle.ts'
import type { OpenPage } from '../platform/http/pagination.ts'
import { inUse, referenceNotFound } from '../platform/http/references.ts'
import { Refusal } from '../platform/http/refusal.ts'
import { refuseTaken } from '../platform/http/taken.ts'
import { findModule, refuseWrongInput } from './module.ts'
import {
  findModuleInstance,
  type InstanceChanges,
  insertModuleInstance,
  listModuleInstances,
  lockModuleInstance,
  removeModuleInstance,
  updateModuleInstance,
  usersOfModuleInstance,
} from './store.ts'
import type { ModuleInstanceRow } from './tables.ts'

const resourceType = 'module-instance'

export function serveModuleInstances(app: App, { openPage }: { openPage: OpenPage }): void {
  handle(app, routes.createModuleInstance, ({ body: { data }, caller, db, request }) =>
    refuseLost(data, () =>
      db.transaction(async (tx) => {
        const { organizationId } = caller
        const { projectId } = await environmentOf(tx, organizationId, data.environmentId)
        const { type, version } = await findModule(tx, organizationId, data)
        refuseWrongInput(version, data.input)
        // Without a stack there is no infrastructure to wait for.
        const status = (version.config.stack ?? null) === null ? 'ACTIVE' : 'PENDING'
        const placement = { projectId, moduleVersionId: version.id, type, status } as const
        const instance = await insertModuleInstance(tx, organizationId, { ...data, ...placement })
        const change = { action: 'module-instances.create', resourceType, resourceId: instance.id }
        await recordChange(tx, { caller, request }, { ...change, details: withoutValues(data) })
        return { data: toWire(instance) }
      }),
    ),
  )

  handle(app, routes.listModuleInstances, async ({ query, caller, db }) => {
    const page = openPage(routes.listModuleInstances, caller, query)
    return page.reply(await listModuleInstances(db, caller.organizationId, query, page), toWire)
  })

  handle(app, routes.getModuleInstance, async ({ params, caller, db }) => {
    const instance = await findModuleInstance(db, caller.organizationId, params.id)
    if (!instance) throw notFound(params.id)
    return { data: toWire(instance) }
  })

  handle(app, routes.updateModuleInstance, ({ params, body: { data }, caller, db, request }) =>
    refuseLost(data, () =>
      db.transaction(async (tx) => {
        const { organizationId } = caller
        const before = await lockModuleInstance(tx, organizationId, params.id)
        if (!before) throw notFound(params.id)
        const changes = await changesOf(tx, before, data)
        const instance = await updateModuleInstance(tx, organizationId, before.id, changes)
        if (!instance) throw notFound(params.id)
        const change = { action: 'module-instances.update', resourceType, resourceId: instance.id }
        await recordChange(tx, { caller, request }, { ...change, details: withoutValues(data) })
        return { data: toWire(instance) }
      }),
    ),
  )

  handle(app, routes.deleteModuleInstance, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const instance = await lockModuleInstance(tx, organizationId, params.id)
      if (!instance) throw notFound(params.id)
      if (instance.status === 'DESTROYED') return
      const users = await usersOfModuleInstance(tx, organizationId, instance.id)
      if (users.length > 0) throw inUse('moduleInstanceInUse', `module instance ${instance.givenId}`, users)
      await removeModuleInstance(tx, organizationId, instance.id)
      const change = { action: 'module-instances.delete', resourceType, resourceId: instance.id }
      await recordChange(tx, { caller, request }, change)
    }),
  )
}

async function environmentOf(tx: Db, organizationId: string, id: string) {
  const environment = await holdEnvironment(tx, organizationId, id)
  if (!environment) throw referenceNotFound('environmentId', 'environment', id)
  return environment
}

/** What a change comes to on this instance; refuses what cannot be, before anything is written. */
async function changesOf(tx: Db, before: ModuleInstanceRow, data: UpdateModuleInstance): Promise<InstanceChanges> {
  const { organizationId } = before
  // Nothing runs unless runStack asks for it, so that there is nothing for autoapprove to approve.
  const { runStack, autoapprove: _, ...given } = data
  if (before.status === 'DESTROYED') {
    throw new Refusal('moduleInstanceDestroyed', `The module instance ${before.id} is destroyed and stays as it was.`)
  }
  if (runStack) {
    throw new Refusal('stackNotAvailable', 'Changes of infrastructure cannot be run here; leave out `data.runStack`.')
  }
  const changes: InstanceChanges = { ...given }
  if (data.environmentId !== undefined) {
    changes.projectId = (await environmentOf(tx, organizationId, data.environmentId)).projectId
  }
  const isMoved = data.moduleDefinitionId !== undefined || data.moduleVersionId !== undefined
  if (isMoved || data.input !== undefined) {
    const { type, version } = await findModule(tx, organizationId, wishOf(before, data))
    refuseWrongInput(version, data.input ?? before.input)
    if (isMoved) Object.assign(changes, { type, moduleVersionId: version.id })
  }
  return changes
}

/** Another definition comes with its latest version, unless one is named. */
function wishOf(before: ModuleInstanceRow, data: UpdateModuleInstance) {
  const { moduleDefinitionId = before.moduleDefinitionId, moduleVersionId } = data
  const kept = moduleDefinitionId === before.moduleDefinitionId ? before.moduleVersionId : undefined
  return { moduleDefinitionId, moduleVersionId: moduleVersionId ?? kept }
}

type Names = Pick<UpdateModuleInstance, 'givenId' | 'moduleDefinitionId' | 'moduleVersionId'>

/** Refuses a givenId that is taken, and a module that went away in this very moment. */
async function refuseLost<T>(names: Names, change: () => Promise<T>): Promise<T> {
  try {
    return await refuseTaken('module_instances_environment_given_id', () => givenIdTaken(names.givenId), change)
  } catch (error) {
    throw (isReferred(error) && lostModule(names)) || error
  }
}

function lostModule({ moduleDefinitionId, moduleVersionId }: Names): Refusal | undefined {
  if (moduleVersionId !== undefined) return referenceNotFound('moduleVersionId', 'module version', moduleVersionId)
  return moduleDefinitionId === undefined
    ? undefined
    : referenceNotFound('moduleDefinitionId', 'module definition', moduleDefinitionId)
}

const givenIdTaken = (givenId: string | undefined) =>
  new Refusal(
    'moduleInstanceGivenIdTaken',
    givenId === undefined
      ? 'The environment has a module instance with the same givenId already; send another with the environmentId.'
      : `There is another module instance ${givenId} in this environment; choose another givenId.`,
  )

const notFound = (id: string) =>
  new Refusal('moduleInstanceNotFound', `There is no module instance ${id} in this organization.`)

/** Inputs may hold secrets: of them, only the names are written down. */
const withoutValues = ({ input, ...rest }: UpdateModuleInstance): Record<string, unknown> =>
  input === undefined ? rest : { ...rest, input: Object.keys(input) }

const toWire = (row: ModuleInstanceRow): ModuleInstance => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  projectId: row.projectId,
  environmentId: row.environmentId,
  moduleDefinitionId: row.moduleDefinitionId,
  moduleVersionId: row.moduleVersionId,
  givenId: row.givenId,
  name: row.name,
  type: row.type,
  status: row.status,
  input: row.input,
  ...(row.description !== null && { description: row.description }),
  ...(row.error !== null && { error: row.error }),
  ...(row.stackId !== null && { stackId: row.stackId }),
})
