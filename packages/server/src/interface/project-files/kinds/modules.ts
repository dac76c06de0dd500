import { ApiError } from '@sluice/client'
import { apiErrors, type ProjectDocumentOf } from '@sluice/contract'
import { environmentIdOf, idOf, named, renamed, resolved } from '../applying.ts'
import { keyFor } from '../key.ts'
import type { Applied, ApplyContext, Kind } from '../kind.ts'
import { toEnvironment } from '../naming.ts'
import { addRecord, all, titled } from '../reading.ts'
import { withNames } from '../references.ts'

export const moduleDefinition: Kind<'ModuleDefinition'> = {
  identity: ['name'],
  isShared: true,
  readFor: ['ModuleVersion', 'ModuleInstance'],
  async read(reader) {
    for (const one of await all((query) => reader.client.listModuleDefinitions({ query }))) {
      const foreign = one.organizationId === undefined ? ({ isForeign: true } as const) : {}
      addRecord(reader, one.id, { kind: 'ModuleDefinition', name: one.type, ...titled(one) }, foreign)
    }
  },
  async create(document, { client, once }) {
    const { name, description = '' } = named(document)
    const data = { type: document.name, name, description }
    return (await client.createModuleDefinition({ body: { data } }, once('definition'))).data
  },
  update: (id, document, _, { client }) =>
    client.updateModuleDefinition({ params: { id }, body: { data: renamed(document) } }),
}

export const moduleVersion: Kind<'ModuleVersion'> = {
  identity: ['name', 'version'],
  keyNames: ({ name, version }) => [`${name}@${version}`],
  isShared: true,
  readFor: ['ModuleDefinition', 'ModuleInstance'],
  references: ({ name }) => [{ key: keyFor('ModuleDefinition', name), path: '$.name' }],
  rejectChange: ({ version }, fields) => ({
    path: '$.version',
    message: `version ${version} is published with another ${fields.join(' and ')}; give this another number`,
  }),
  /** Versions of the modules that the project uses, or that its files mention. */
  async read(reader) {
    const { client, documents = [], instances, keys, state } = reader
    const used = new Set(instances.map(({ type }) => type))
    for (const document of documents) {
      if (document.kind === 'ModuleVersion') used.add(document.name)
      if (document.kind === 'ModuleInstance') used.add(document.module)
    }
    for (const { id, document, isForeign } of [...state.records.values()]) {
      if (document.kind !== 'ModuleDefinition' || !used.has(document.name)) continue
      const { name } = document
      const query = { moduleDefinitionId: id }
      for (const one of await all((page) => client.listModuleVersions({ query: { ...query, ...page } }))) {
        const { version, description } = one
        const config = withNames(one.config, keys)
        const published = { kind: 'ModuleVersion', name, version, description, config } as const
        addRecord(reader, one.id, published, isForeign ? { isForeign } : {})
      }
    }
  },
  async create({ name, version, description = `Version ${version}.`, config }, context) {
    const moduleDefinitionId = idOf(context, keyFor('ModuleDefinition', name))
    const data = { moduleDefinitionId, version, description, config: resolved(context, config) }
    const { data: published } = await context.client.createModuleVersion({ body: { data } }, context.once('version'))
    if ('id' in published) return { id: published.id }
    throw new Error('The service answered with a dry run instead of publishing the version.')
  },
}

export const moduleInstance: Kind<'ModuleInstance'> = {
  identity: ['environment', 'name'],
  references: ({ environment, module, version }) => [
    ...toEnvironment(environment),
    { key: keyFor('ModuleDefinition', module), path: '$.module' },
    ...(version === undefined ? [] : [{ key: keyFor('ModuleVersion', `${module}@${version}`), path: '$.version' }]),
  ],
  async read(reader) {
    const { environments, instances, keys, state } = reader
    const documents = new Map([...state.records.values()].map(({ id, document }) => [id, document]))
    for (const one of instances) {
      const version = documents.get(one.moduleVersionId)
      addRecord(reader, one.id, {
        kind: 'ModuleInstance',
        name: one.givenId,
        environment: environments.get(one.environmentId) ?? one.environmentId,
        ...titled(one),
        module: one.type,
        ...(version?.kind === 'ModuleVersion' && { version: version.version }),
        input: withNames(one.input, keys),
      })
    }
  },
  create(document, context) {
    const data = {
      environmentId: environmentIdOf(context, document.environment),
      givenId: document.name,
      ...named(document),
      ...moduleOf(document, context),
      input: resolved(context, document.input),
    }
    return withRun(context, async (run) => {
      const once = context.once(`instance-${run.runStack === true}`)
      return (await context.client.createModuleInstance({ body: { data: { ...data, ...run } } }, once)).data.id
    })
  },
  update(id, document, fields, context) {
    const { client } = context
    const texts = renamed(document)
    if (!['module', 'version', 'input'].some((field) => fields.has(field))) {
      return client.updateModuleInstance({ params: { id }, body: { data: texts } })
    }
    const data = { ...texts, ...moduleOf(document, context), input: resolved(context, document.input) }
    return withRun(context, async (run) => {
      await client.updateModuleInstance({ params: { id }, body: { data: { ...data, ...run } } })
      return id
    })
  },
  remove: (id, { client }) => client.deleteModuleInstance({ params: { id } }),
}

function moduleOf({ module, version }: ProjectDocumentOf<'ModuleInstance'>, context: ApplyContext) {
  const moduleDefinitionId = idOf(context, keyFor('ModuleDefinition', module))
  if (version === undefined) return { moduleDefinitionId }
  return { moduleDefinitionId, moduleVersionId: idOf(context, keyFor('ModuleVersion', `${module}@${version}`)) }
}

/** Changes an instance and starts a run, unless its module has no infrastructure. */
async function withRun(context: ApplyContext, change: (run: { runStack?: true }) => Promise<string>): Promise<Applied> {
  if (!context.runStacks) return { id: await change({}) }
  try {
    const id = await change({ runStack: true })
    const { included } = await context.client.getModuleInstance({
      params: { id },
      query: { include: ['infrastructure'] },
    })
    const runId = included?.infrastructure?.latestRunId
    return { id, ...(runId !== undefined && { runId }) }
  } catch (error) {
    const hasNoStack = error instanceof ApiError && error.error.code === apiErrors.stackNotAvailable.code
    if (!hasNoStack) throw error
    return { id: await change({}) }
  }
}
