import { idOf, parentOf, pick, resolved } from '../applying.ts'
import { keyFor } from '../key.ts'
import type { Kind } from '../kind.ts'
import { toEnvironment } from '../naming.ts'
import { addRecord, all } from '../reading.ts'
import { withNames } from '../references.ts'

export const defaultValueDefinition: Kind<'DefaultValueDefinition'> = {
  identity: ['name'],
  isShared: true,
  readFor: ['DefaultValue'],
  rejectChange: (_, fields) =>
    fields.includes('isSensitive')
      ? { path: '$.isSensitive', message: 'whether values are secrets cannot change after creation' }
      : undefined,
  async read(reader) {
    for (const one of await all((query) => reader.client.listDefaultValueDefinitions({ query }))) {
      const { id, key, description, schema, isSensitive } = one
      const fields = { ...(description !== undefined && { description }), schema, ...(isSensitive && { isSensitive }) }
      addRecord(reader, id, { kind: 'DefaultValueDefinition', name: key, ...fields })
    }
  },
  async create({ name: key, ...document }, { client, once }) {
    const data = { key, ...pick(document, ['description', 'schema', 'isSensitive']) }
    return (await client.createDefaultValueDefinition({ body: { data } }, once('definition'))).data
  },
  update: (id, document, _, { client }) =>
    client.updateDefaultValueDefinition({ params: { id }, body: { data: pick(document, ['description', 'schema']) } }),
}

export const defaultValue: Kind<'DefaultValue'> = {
  identity: ['environment', 'name'],
  references: ({ name, environment }) => [
    { key: keyFor('DefaultValueDefinition', name), path: '$.name' },
    ...toEnvironment(environment),
  ],
  secretField({ name }, find) {
    const definitions = find(keyFor('DefaultValueDefinition', name))
    const isSecret = definitions.some((one) => one.kind === 'DefaultValueDefinition' && one.isSensitive === true)
    return isSecret ? 'value' : undefined
  },
  async read(reader, projectId) {
    const { client, state, environments, keys } = reader
    const definitions = new Map([...state.records.values()].map(({ id, document }) => [id, document]))
    for (const parentId of [projectId, ...environments.keys()]) {
      const environment = environments.get(parentId)
      for (const one of await all((page) => client.listDefaultValues({ query: { parentId, ...page } }))) {
        const definition = definitions.get(one.defaultValueDefinitionId)
        if (definition?.kind !== 'DefaultValueDefinition') continue
        const scope = environment === undefined ? {} : { environment }
        const value = withNames(one.value, keys)
        const document = { kind: 'DefaultValue', name: definition.name, ...scope, value } as const
        addRecord(reader, one.id, document, definition.isSensitive ? { hidden: 'value' } : {})
      }
    }
  },
  async create({ name, environment, value }, context) {
    const defaultValueDefinitionId = idOf(context, keyFor('DefaultValueDefinition', name))
    const data = { defaultValueDefinitionId, ...parentOf(context, environment), value: resolved(context, value) }
    return (await context.client.createDefaultValue({ body: { data } }, context.once('value'))).data
  },
  update: (id, { value }, _, context) =>
    context.client.updateDefaultValue({ params: { id }, body: { data: { value: resolved(context, value) } } }),
  remove: (id, { client }) => client.deleteDefaultValue({ params: { id } }),
}
