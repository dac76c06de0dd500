import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { referenceNotFound } from '../../platform/http/references.ts'
import { findModuleDefinition } from '../module-definitions/store.ts'
import type { ModuleVersionRow } from '../module-definitions/tables.ts'
import { findModuleVersion } from '../module-versions/store.ts'
import type { ModuleInstanceRow } from './tables.ts'

export type Module = { type: string; version: ModuleVersionRow }

type Wish = {
  moduleDefinitionId: string
  /** Requested version; by default the latest one. */
  moduleVersionId?: string | undefined
}

/** Finds the version for an instance. Rejects definitions that the organization cannot see. */
export async function findModule(
  tx: Db,
  organizationId: string,
  { moduleDefinitionId, moduleVersionId }: Wish,
): Promise<Module> {
  const definition = await findModuleDefinition(tx, organizationId, moduleDefinitionId)
  if (!definition) throw referenceNotFound('moduleDefinitionId', 'module definition', moduleDefinitionId)
  const versionId = moduleVersionId ?? definition.latestVersionId
  if (versionId === null) {
    throw new ApiError(
      'moduleHasNoVersion',
      `The module definition ${definition.type} has no version yet. Publish one.`,
    )
  }
  const version = await findModuleVersion(tx, organizationId, versionId)
  if (!version) throw referenceNotFound('moduleVersionId', 'module version', versionId)
  if (version.moduleDefinitionId !== definition.id) {
    const message = `The module version ${version.id} is not one of the module definition ${definition.type}.`
    throw new ApiError('moduleVersionMismatch', message)
  }
  return { type: definition.type, version }
}

/** Returns the version to which an instance will move. */
export async function findVersionOf(
  db: Db,
  { organizationId, moduleDefinitionId, type }: ModuleInstanceRow,
  versionId: string,
): Promise<ModuleVersionRow> {
  const version = await findModuleVersion(db, organizationId, versionId)
  if (!version)
    throw new ApiError(
      'moduleVersionNotFound',
      `The module version ${versionId} does not exist, or is not available to this organization.`,
    )
  if (version.moduleDefinitionId === moduleDefinitionId) return version
  throw new ApiError(
    'moduleVersionMismatch',
    `The module version ${versionId} does not belong to the module definition ${type}.`,
  )
}
