import type { ProjectDocumentOf } from '@sluice/contract'
import { named, projectIdOf, renamed, resolved } from '../applying.ts'
import type { ApplyContext, Kind } from '../kind.ts'
import { addRecord, titled } from '../reading.ts'
import { withNames } from '../references.ts'

export const pipeline: Kind<'Pipeline'> = {
  identity: ['name'],
  async read(reader) {
    for (const one of reader.pipelines) {
      const newest = await reader.client.listPipelineVersions({ query: { pipelineId: one.id, limit: 1 } })
      const config = newest.data[0]?.config
      const content = config && { config: withNames(config, reader.keys) }
      addRecord(reader, one.id, { kind: 'Pipeline', name: one.givenId, ...titled(one), ...content })
    }
  },
  async create(document, context) {
    const data = { projectId: projectIdOf(context), givenId: document.name, ...named(document) }
    const { id } = (await context.client.createPipeline({ body: { data } }, context.once('pipeline'))).data
    await publishConfig(id, document, context)
    return { id }
  },
  async update(id, document, fields, context) {
    if (fields.has('title') || fields.has('description')) {
      await context.client.updatePipeline({ params: { id }, body: { data: renamed(document) } })
    }
    if (fields.has('config')) await publishConfig(id, document, context)
  },
  remove: (id, { client }) => client.deletePipeline({ params: { id } }),
}

/** Publishes the config, unless it is the newest version already because someone published it meanwhile. */
async function publishConfig(pipelineId: string, document: ProjectDocumentOf<'Pipeline'>, context: ApplyContext) {
  if (document.config === undefined) return
  const { client, once } = context
  const data = { pipelineId, config: resolved(context, document.config) }
  const { data: checked } = await client.createPipelineVersion({ body: { data: { ...data, dryRun: true } } })
  const isPublished = 'patch' in checked && checked.patch.length === 0 && checked.baseVersion !== undefined
  if (!isPublished) await client.createPipelineVersion({ body: { data } }, once('version'))
}
