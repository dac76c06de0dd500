import { moduleSchema } from '../../modules/module-versions/config/published.ts'
import { pipelineSchema } from '../../pipelines/pipeline-versions/config/published.ts'
import { projectSchema } from './project.ts'

type Json = Record<string, unknown>

/** What people write in files: the config of a version of each. */
export const configKinds = ['module', 'pipeline'] as const
export type ConfigKind = (typeof configKinds)[number]

/** What has a schema: the documents of a project as well, in which such configs stand. */
export const schemaKinds = [...configKinds, 'project'] as const
export type SchemaKind = (typeof schemaKinds)[number]

/** For editors, and for programs that write one. */
export const schemaOf = (kind: SchemaKind): Json => schemas[kind]()

const schemas = { module: moduleSchema, pipeline: pipelineSchema, project: projectSchema }
