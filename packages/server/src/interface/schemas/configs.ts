import { moduleSchema } from '../../modules/module-versions/config/published.ts'
import { pipelineSchema } from '../../pipelines/pipeline-versions/config/published.ts'
import { projectSchema } from './project.ts'

type Json = Record<string, unknown>

/** Configs that users write in files: those of module and pipeline versions. */
export const configKinds = ['module', 'pipeline'] as const
export type ConfigKind = (typeof configKinds)[number]

/** Files with a schema: configs, and documents of a project, which can contain configs. */
export const schemaKinds = [...configKinds, 'project'] as const
export type SchemaKind = (typeof schemaKinds)[number]

/** Returns the JSON Schema for editors and programs. */
export const schemaOf = (kind: SchemaKind): Json => schemas[kind]()

const schemas = { module: moduleSchema, pipeline: pipelineSchema, project: projectSchema }
