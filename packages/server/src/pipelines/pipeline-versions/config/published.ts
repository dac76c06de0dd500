import { PipelineConfig } from './schema.ts'

/** Returns the JSON Schema of a pipeline version's config, for editors and programs. */
export const pipelineSchema = (): Record<string, unknown> => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: '/schemas/pipeline.json',
  title: 'Pipeline',
  ...(JSON.parse(JSON.stringify(PipelineConfig)) as Record<string, unknown>),
  description: 'Configuration of a pipeline version. Values without a fixed set of choices may be templates: << … >>.',
})
