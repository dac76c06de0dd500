import type { ProjectDocumentOf } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import { environmentIdOf, idOf, pick, projectIdOf, resolved } from '../applying.ts'
import { keyFor } from '../key.ts'
import type { ApplyContext, Kind } from '../kind.ts'
import { toEnvironment, toPipeline } from '../naming.ts'
import { addRecord, all, nameOf } from '../reading.ts'
import { withNames } from '../references.ts'

const fields = [
  'branches',
  'paths',
  'instances',
  'namePattern',
  'lifetimeHours',
  'maxPerProject',
  'allowsForks',
] as const

export const previewTemplate: Kind<'PreviewTemplate'> = {
  identity: ['environment', 'source'],
  references: ({ environment, source, pipeline }) => [
    ...toEnvironment(environment),
    { key: keyFor('CodeSource', source), path: '$.source' },
    ...toPipeline(pipeline),
  ],
  async read(reader, projectId) {
    const { client, environments, keys } = reader
    for (const one of await all((page) => client.listPreviewTemplates({ query: { projectId, ...page } }))) {
      const { repoUrl: source } = (await client.getCodeSource({ params: { id: one.codeSourceId } })).data
      addRecord(reader, one.id, {
        kind: 'PreviewTemplate',
        environment: environments.get(one.environmentId) ?? one.environmentId,
        source,
        ...pick(one, fields),
        ...present({ pipeline: nameOf(reader, 'Pipeline', one.pipelineId) }),
        inputs: withNames(one.inputs, keys),
        pipelineInputs: withNames(one.pipelineInputs, keys),
      })
    }
  },
  async create(document, context) {
    const data = {
      projectId: projectIdOf(context),
      environmentId: environmentIdOf(context, document.environment),
      codeSourceId: idOf(context, keyFor('CodeSource', document.source)),
      ...settingsOf(document, context),
    }
    return (await context.client.createPreviewTemplate({ body: { data } }, context.once('preview-template'))).data
  },
  update: (id, document, _, context) =>
    context.client.updatePreviewTemplate({ params: { id }, body: { data: settingsOf(document, context) } }),
  remove: (id, { client }) => client.deletePreviewTemplate({ params: { id } }),
}

function settingsOf(document: ProjectDocumentOf<'PreviewTemplate'>, context: ApplyContext) {
  const { inputs, pipeline, pipelineInputs } = document
  return {
    ...pick(document, fields),
    ...(inputs !== undefined && { inputs: resolved(context, inputs) }),
    ...(pipeline !== undefined && { pipelineId: idOf(context, keyFor('Pipeline', pipeline)) }),
    ...(pipelineInputs !== undefined && { pipelineInputs: resolved(context, pipelineInputs) }),
  }
}
