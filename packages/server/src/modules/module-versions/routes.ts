import { type ModuleVersion, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import { isForeignKeyViolation } from '../../platform/db/violations.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { inUse, referenceNotFound } from '../../platform/http/references.ts'
import { lockModuleDefinition, setLatestVersion } from '../module-definitions/store.ts'
import type { ModuleVersionRow } from '../module-definitions/tables.ts'
import { latestOf } from './latest.ts'
import { optionSourcesOf } from './option-sources.ts'
import { checkedForPublishing, publishVersion, resourceType } from './publish.ts'
import {
  findModuleVersion,
  findOwnModuleVersion,
  listModuleVersions,
  removeModuleVersion,
  versionsOf,
} from './store.ts'

export function serveModuleVersions(app: App): void {
  handle(app, routes.createModuleVersion, async ({ body: { data }, caller, db, request, reply }) => {
    const { organizationId } = caller
    const { moduleDefinitionId, version, config, dryRun } = data
    reply.headers(await checkedForPublishing(db, organizationId, config))
    return db.transaction(async (tx) => {
      const definition = await lockModuleDefinition(tx, organizationId, moduleDefinitionId)
      if (!definition) throw referenceNotFound('moduleDefinitionId', 'module definition', moduleDefinitionId)
      const before = await versionsOf(tx, organizationId, moduleDefinitionId)
      if (before.some((one) => one.version === version)) throw taken(definition.type, version)
      if (dryRun) {
        reply.code(202).header('sluice-dry-run', 'true')
        return { data: { moduleDefinitionId, version, config } }
      }
      const published = await publishVersion(tx, { caller, request }, before, data)
      return { data: toWireFor(organizationId)(published) }
    })
  })

  handle(app, routes.listModuleVersions, async ({ query, caller, db }) => {
    const page = app.openPage(routes.listModuleVersions, caller, query)
    const { organizationId } = caller
    return page.reply(await listModuleVersions(db, organizationId, query, page), toWireFor(organizationId))
  })

  handle(app, routes.getModuleVersion, async ({ params, caller, db }) => {
    const version = await findModuleVersion(db, caller.organizationId, params.id)
    if (!version)
      throw new ApiError(
        'moduleVersionNotFound',
        `The module version ${params.id} does not exist, or is not available to this organization.`,
      )
    return { data: toWireFor(caller.organizationId)(version) }
  })

  handle(app, routes.deleteModuleVersion, async ({ params, caller, db, request }) => {
    const { organizationId } = caller
    try {
      await db.transaction(async (tx) => {
        const version = await findOwnModuleVersion(tx, organizationId, params.id)
        if (!version) throw notOwn(params.id)
        // Locks the definition, so that its latest version stays correct with concurrent changes.
        await lockModuleDefinition(tx, organizationId, version.moduleDefinitionId)
        const users = await app.findDependents('module-versions', tx, organizationId, version.id)
        if (users.length > 0) throw inUse('moduleVersionInUse', `module version ${version.version}`, users)
        await removeModuleVersion(tx, organizationId, version.id)
        const left = await versionsOf(tx, organizationId, version.moduleDefinitionId)
        await setLatestVersion(tx, organizationId, version.moduleDefinitionId, latestOf(left))
        const change = { action: 'module-versions.delete', resourceType, resourceId: version.id }
        await recordChange(tx, { caller, request }, change)
      })
    } catch (error) {
      // Instances of other organizations, which this organization cannot see, also block the deletion.
      if (!isForeignKeyViolation(error)) throw error
      throw inUse('moduleVersionInUse', `module version ${params.id}`, ['module instances of other organizations'])
    }
  })
}

const taken = (type: string, version: string) =>
  new ApiError('moduleVersionTaken', `${type} already has a version ${version}. Versions cannot be changed.`)

const notOwn = (id: string) =>
  new ApiError('moduleVersionNotFound', `The organization does not own a module version ${id}.`)

/** Serializes a version. Omits the organization of a global version that belongs to another one. */
const toWireFor =
  (organizationId: string) =>
  (row: ModuleVersionRow): ModuleVersion => {
    const optionSources = optionSourcesOf(row.config)
    return {
      id: row.id,
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
      ...(row.organizationId === organizationId && { organizationId }),
      moduleDefinitionId: row.moduleDefinitionId,
      version: row.version,
      description: row.description,
      config: row.config,
      ...(optionSources.length > 0 && { optionSources }),
    }
  }
