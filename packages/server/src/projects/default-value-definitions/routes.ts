import { type DefaultValueDefinition, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList, unfiltered } from '../../platform/http/handle.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import { listed } from '../../platform/http/listed.ts'
import { inUse, missing } from '../../platform/http/references.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { type JsonSchema, schemaFaults } from '../default-values/schema.ts'
import {
  findDefinition,
  insertDefinition,
  listDefinitions,
  lockDefinition,
  removeDefinition,
  updateDefinition,
  valuesOfDefinition,
} from '../default-values/store.ts'
import { fromStored } from '../default-values/stored-values.ts'
import type { DefaultValueDefinitionRow } from '../default-values/tables.ts'

const resourceType = 'default-value-definition'

export function serveDefaultValueDefinitions(app: App, { seal }: { seal: Seal }): void {
  handle(app, routes.createDefaultValueDefinition, async ({ body: { data }, caller, db, request }) => {
    rejectWrong(data.schema)
    return rejectTaken(keyIndex, keyTaken(data.key), () =>
      db.transaction(async (tx) => {
        const row = await insertDefinition(tx, caller.organizationId, data)
        const change = { action: 'default-value-definitions.create', resourceType, resourceId: row.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return { data: serialize(row) }
      }),
    )
  })

  handleList(app, routes.listDefaultValueDefinitions, unfiltered(listDefinitions), serialize)
  handleGet(app, routes.getDefaultValueDefinition, { find: findDefinition, notFound, toWire: serialize })

  handle(app, routes.updateDefaultValueDefinition, async ({ params, body: { data }, caller, db, request }) => {
    if (data.schema) rejectWrong(data.schema)
    return rejectTaken(keyIndex, keyTaken(data.key), () =>
      db.transaction(async (tx) => {
        const locked = await lockDefinition(tx, caller.organizationId, params.id)
        if (!locked) throw notFound(params.id)
        if (data.schema) await requireMatch(tx, locked, data.schema)
        const row = await updateDefinition(tx, caller.organizationId, params.id, data)
        if (!row) throw notFound(params.id)
        const change = { action: 'default-value-definitions.update', resourceType, resourceId: row.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return { data: serialize(row) }
      }),
    )
  })

  handle(app, routes.deleteDefaultValueDefinition, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const row = await lockDefinition(tx, caller.organizationId, params.id)
      if (!row) throw notFound(params.id)
      const users = await app.findDependents('default-value-definitions', tx, caller.organizationId, row.id)
      if (users.length > 0) throw inUse('defaultValueDefinitionInUse', `default value definition ${row.key}`, users)
      await removeDefinition(tx, caller.organizationId, row.id)
      const change = { action: 'default-value-definitions.delete', resourceType, resourceId: row.id }
      await recordChange(tx, { caller, request }, change)
    }),
  )

  async function requireMatch(tx: Db, { id, organizationId, key }: DefaultValueDefinitionRow, schema: JsonSchema) {
    const values = await valuesOfDefinition(tx, organizationId, id)
    const toCheck = values.map((row) => ({
      value: fromStored(seal, row),
      root: `${row.parentType} ${row.parentId}`,
    }))
    const checked = schemaFaults(schema, '$.data.schema', toCheck)
    const items = 'ofSchema' in checked ? checked.ofSchema : checked.ofValues
    if (items.length === 0) return
    throw new ApiError('defaultValuesDoNotMatch', `Values of ${key} do not match the new schema. Change them first.`, {
      details: listed('Values', items),
    })
  }
}

function rejectWrong(schema: JsonSchema): void {
  const checked = schemaFaults(schema, '$.data.schema')
  if ('ofSchema' in checked) throw bodyInvalid(checked.ofSchema)
}

const keyIndex = 'default_value_definitions_organization_key'

const keyTaken = (key: string | undefined) => () =>
  new ApiError('defaultValueKeyTaken', `The organization already has a default value definition ${key}.`)

const notFound = (id: string) => missing('defaultValueDefinitionNotFound', 'default value definition', id)

const serialize = (row: DefaultValueDefinitionRow): DefaultValueDefinition => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  key: row.key,
  ...(row.description !== null && { description: row.description }),
  schema: row.schema,
  isSensitive: row.isSensitive,
})
