import { type ProjectDocumentKind, projectDocumentKinds, projectDocuments } from '@sluice/contract'
import { moduleSchema } from '../../modules/module-versions/config/published.ts'
import { pipelineSchema } from '../../pipelines/pipeline-versions/config/published.ts'

type Json = Record<string, unknown>

/** Schemas of the configs in documents, as in separate files. */
const configs: Partial<Record<ProjectDocumentKind, Json>> = {
  ModuleVersion: { $ref: '/schemas/module.json' },
  Pipeline: { $ref: '/schemas/pipeline.json' },
}

/** Returns the self-contained JSON Schema of a project's documents. */
export const projectSchema = (): Json => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: '/schemas/project.json',
  title: 'Document of a project',
  description: 'A record of a project in files. Omitted fields keep their values.',
  type: 'object',
  required: ['kind'],
  properties: { kind: { enum: projectDocumentKinds } },
  oneOf: projectDocumentKinds.map((kind) => ({ $ref: `#/$defs/${kind}` })),
  $defs: {
    ...Object.fromEntries(projectDocumentKinds.map((kind) => [kind, documentSchema(kind)])),
    module: moduleSchema(),
    pipeline: pipelineSchema(),
  },
})

function documentSchema(kind: ProjectDocumentKind): Json {
  const { properties, ...schema } = JSON.parse(JSON.stringify(projectDocuments[kind])) as { properties: Json }
  const { [kind]: config } = configs
  return { ...schema, properties: { ...properties, ...(config && { config }) } }
}
