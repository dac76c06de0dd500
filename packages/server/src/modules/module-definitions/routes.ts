import { type ModuleDefinition, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { isForeignKeyViolation } from '../../platform/db/violations.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { inUse } from '../../platform/http/references.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { checkedForPublishing, publishVersion } from '../module-versions/publish.ts'
import {
  countInstancesOfOthers,
  findModuleDefinition,
  insertModuleDefinition,
  isPublishedByOthers,
  isTypeUsedByOthers,
  listModuleDefinitions,
  lockModuleDefinition,
  removeModuleDefinition,
  updateModuleDefinition,
} from './store.ts'
import type { ModuleDefinitionRow } from './tables.ts'

const resourceType = 'module-definition'

type Parts = {
  /** Not scoped to an organization, because global definitions concern all of them. */
  db: Db
  /** Ids of the service accounts that may publish globally. */
  modulePublishers: readonly string[]
}

export function serveModuleDefinitions(app: App, { db: installation, modulePublishers }: Parts): void {
  function expectPublisher({ globalRole, principalType, membershipId }: Caller): void {
    if (globalRole === 'SUPERADMIN') return
    if (principalType === 'SERVICE_ACCOUNT' && modulePublishers.includes(membershipId)) return
    throw new ApiError(
      'forbidden',
      'Only superadmins and service accounts named in SLUICE_MODULE_PUBLISHERS can set `data.isGlobalPublished`.',
    )
  }

  handle(app, routes.createModuleDefinition, async ({ body: { data }, caller, db, request, reply }) => {
    const { organizationId } = caller
    const { firstVersion, ...definition } = data
    if (data.isGlobalPublished) expectPublisher(caller)
    if (firstVersion) {
      reply.headers(await checkedForPublishing(db, organizationId, firstVersion.config, '$.data.firstVersion'))
    }
    const { type, isGlobalPublished = false } = data
    if (isGlobalPublished) await rejectIfTypeIsUsed(installation, { organizationId, type })
    return rejectTaken('module_definitions_organization_type', typeTaken(type), () =>
      db.transaction(async (tx) => {
        if (await isPublishedByOthers(tx, organizationId, type)) throw typeTaken(type)()
        const created = await insertModuleDefinition(tx, organizationId, definition)
        const change = {
          action: 'module-definitions.create',
          resourceType,
          resourceId: created.id,
          details: definition,
        }
        await recordChange(tx, { caller, request }, change)
        if (!firstVersion) return { data: toWireFor(organizationId)(created) }
        await publishVersion(tx, { caller, request }, [], { moduleDefinitionId: created.id, ...firstVersion })
        const published = (await findModuleDefinition(tx, organizationId, created.id)) ?? created
        return { data: toWireFor(organizationId)(published) }
      }),
    )
  })

  handle(app, routes.listModuleDefinitions, async ({ query, caller, db }) => {
    const page = app.openPage(routes.listModuleDefinitions, caller, query)
    return page.reply(
      await listModuleDefinitions(db, caller.organizationId, query, page),
      toWireFor(caller.organizationId),
    )
  })

  handle(app, routes.getModuleDefinition, async ({ params, caller, db }) => {
    const definition = await findModuleDefinition(db, caller.organizationId, params.id)
    if (!definition) {
      throw new ApiError(
        'moduleDefinitionNotFound',
        `The module definition ${params.id} does not exist, or is not available to this organization.`,
      )
    }
    return { data: toWireFor(caller.organizationId)(definition) }
  })

  handle(app, routes.updateModuleDefinition, async ({ params, body: { data }, caller, db, request }) => {
    const { organizationId } = caller
    const before = await findModuleDefinition(db, organizationId, params.id)
    if (before?.organizationId !== organizationId) throw notOwn(params.id)
    if (data.isGlobalPublished !== undefined) {
      expectPublisher(caller)
      await rejectIfItConcernsOthers(installation, before, data.isGlobalPublished)
    }
    return db.transaction(async (tx) => {
      const definition = await updateModuleDefinition(tx, organizationId, params.id, data)
      if (!definition) throw notOwn(params.id)
      const change = { action: 'module-definitions.update', resourceType, resourceId: definition.id, details: data }
      await recordChange(tx, { caller, request }, change)
      return { data: toWireFor(organizationId)(definition) }
    })
  })

  handle(app, routes.deleteModuleDefinition, async ({ params, caller, db, request }) => {
    const { organizationId } = caller
    try {
      await db.transaction(async (tx) => {
        const definition = await lockModuleDefinition(tx, organizationId, params.id)
        if (!definition) throw notOwn(params.id)
        const users = await app.findDependents('module-definitions', tx, organizationId, definition.id)
        if (users.length > 0) throw inUse('moduleDefinitionInUse', `module definition ${definition.type}`, users)
        await removeModuleDefinition(tx, organizationId, definition.id)
        const change = { action: 'module-definitions.delete', resourceType, resourceId: definition.id }
        await recordChange(tx, { caller, request }, change)
      })
    } catch (error) {
      // Instances of other organizations, which this organization cannot see, also block the deletion.
      throw isForeignKeyViolation(error) ? usedByOthers(params.id) : error
    }
  })
}

/** Rejects a global definition whose type is already in use, and unpublishing one that other organizations use. */
async function rejectIfItConcernsOthers(
  installation: Db,
  definition: ModuleDefinitionRow,
  isGlobalPublished: boolean,
): Promise<void> {
  if (isGlobalPublished) await rejectIfTypeIsUsed(installation, definition)
  if (!isGlobalPublished && (await countInstancesOfOthers(installation, definition)) > 0) {
    throw usedByOthers(definition.id)
  }
}

type Typed = Pick<ModuleDefinitionRow, 'organizationId' | 'type'>

async function rejectIfTypeIsUsed(installation: Db, definition: Typed): Promise<void> {
  if (await isTypeUsedByOthers(installation, definition)) throw typeTaken(definition.type)()
}

const typeTaken = (type: string) => () =>
  new ApiError(
    'moduleDefinitionTypeTaken',
    `A module definition of the type ${type} already exists. Choose a different type.`,
  )

const usedByOthers = (id: string) =>
  inUse('moduleDefinitionInUse', `module definition ${id}`, ['module instances of other organizations'])

const notOwn = (id: string) =>
  new ApiError('moduleDefinitionNotFound', `The organization does not own a module definition ${id}.`)

/** Serializes a definition. Omits the organization of a global definition that belongs to another one. */
const toWireFor =
  (organizationId: string) =>
  (row: ModuleDefinitionRow): ModuleDefinition => ({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    ...(row.organizationId === organizationId && { organizationId }),
    name: row.name,
    description: row.description,
    status: row.status,
    type: row.type,
    ...(row.latestVersion !== null && { latestVersion: row.latestVersion }),
    ...(row.latestVersionId !== null && { latestVersionId: row.latestVersionId }),
  })
