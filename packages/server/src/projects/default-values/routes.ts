import { type CreateDefaultValue, type DefaultValue, routes } from '@sluice/contract'
import { type RecordScope, recordChange } from '../../identity/audit-events/record.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList } from '../../platform/http/handle.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { newId } from '../../platform/ids.ts'
import { findEnvironment, lockEnvironmentShared } from '../environments/store.ts'
import { lockProjectShared } from '../projects/store.ts'
import { schemaFaults } from './schema.ts'
import {
  findDefaultValue,
  insertDefaultValue,
  listDefaultValues,
  lockDefinitionShared,
  removeDefaultValue,
  updateDefaultValue,
} from './store.ts'
import { toStored } from './stored-values.ts'
import type { DefaultValueDefinitionRow, DefaultValueRow } from './tables.ts'

const resourceType = 'default-value'

export function serveDefaultValues(app: App, { seal }: { seal: Seal }): void {
  handle(app, routes.createDefaultValue, ({ body: { data }, caller, db, request }) =>
    rejectTaken('default_values_once', alreadySet(data), () =>
      db.transaction(async (tx) => {
        const { organizationId } = caller
        const { value, ...level } = data
        const definition = await requireDefinition(tx, organizationId, data.defaultValueDefinitionId)
        await requireParent(tx, organizationId, data)
        requireValid(definition, value)
        const id = newId('dv')
        const held = toStored(seal, { id, organizationId }, definition, value)
        const row = await insertDefaultValue(tx, organizationId, { ...level, id, held })
        const change = { action: 'default-values.create', resourceType, resourceId: row.id, details: level }
        await recordChange(tx, { caller, request }, { ...change, of: await placeOf(tx, row) })
        return { data: serialize(row) }
      }),
    ),
  )

  handleList(app, routes.listDefaultValues, listDefaultValues, serialize)
  handleGet(app, routes.getDefaultValue, { find: findDefaultValue, notFound, toWire: serialize })

  handle(app, routes.updateDefaultValue, ({ params, body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const found = await findDefaultValue(tx, organizationId, params.id)
      if (!found) throw notFound(params.id)
      if (!('value' in data)) return { data: serialize(found) }
      const definition = await requireDefinition(tx, organizationId, found.defaultValueDefinitionId)
      requireValid(definition, data.value)
      const held = toStored(seal, found, definition, data.value)
      const row = await updateDefaultValue(tx, organizationId, found.id, held)
      if (!row) throw notFound(params.id)
      const change = { action: 'default-values.update', resourceType, resourceId: row.id }
      await recordChange(tx, { caller, request }, { ...change, of: await placeOf(tx, row) })
      return { data: serialize(row) }
    }),
  )

  handle(app, routes.deleteDefaultValue, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const row = await removeDefaultValue(tx, caller.organizationId, params.id)
      if (!row) throw notFound(params.id)
      const change = { action: 'default-values.delete', resourceType, resourceId: row.id }
      await recordChange(tx, { caller, request }, { ...change, of: await placeOf(tx, row) })
    }),
  )
}

async function requireDefinition(tx: Db, organizationId: string, id: string): Promise<DefaultValueDefinitionRow> {
  const definition = await lockDefinitionShared(tx, organizationId, id)
  if (!definition) throw referenceNotFound('defaultValueDefinitionId', 'default value definition', id)
  return definition
}

async function requireParent(
  tx: Db,
  organizationId: string,
  { parentType, parentId }: Pick<CreateDefaultValue, 'parentType' | 'parentId'>,
): Promise<void> {
  const isThere = {
    organization: async () => parentId === organizationId,
    project: () => lockProjectShared(tx, organizationId, parentId),
    environment: async () => (await lockEnvironmentShared(tx, organizationId, parentId)) !== undefined,
  }
  if (!(await isThere[parentType]())) throw referenceNotFound('parentId', parentType, parentId)
}

/** Returns the project and environment of a value. */
async function placeOf(tx: Db, { organizationId, parentType, parentId }: DefaultValueRow): Promise<RecordScope> {
  if (parentType === 'organization') return {}
  if (parentType === 'project') return { projectId: parentId }
  return { projectId: (await findEnvironment(tx, organizationId, parentId))?.projectId, environmentId: parentId }
}

function requireValid({ key, schema }: DefaultValueDefinitionRow, value: unknown): void {
  const checked = schemaFaults(schema, `the schema of ${key}`, [{ value, root: '$.data.value' }])
  const faults = 'ofSchema' in checked ? checked.ofSchema : checked.ofValues
  if (faults.length > 0) throw bodyInvalid(faults)
}

const alreadySet =
  ({ parentType, parentId }: CreateDefaultValue) =>
  () =>
    new ApiError(
      'defaultValueTaken',
      `The ${parentType} ${parentId} already has this default value. Update the existing one.`,
    )

const notFound = (id: string) => missing('defaultValueNotFound', 'default value', id)

/** Returns the API representation. A sensitive value is never returned, not even to its author. */
const serialize = (row: DefaultValueRow): DefaultValue => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  defaultValueDefinitionId: row.defaultValueDefinitionId,
  parentType: row.parentType,
  parentId: row.parentId,
  value: 'value' in row.held ? row.held.value : null,
})
