import { moduleSchema } from '../../modules/module-versions/config/published.ts'
import { pipelineSchema } from '../../pipelines/pipeline-versions/config/published.ts'

type Json = Record<string, unknown>

/** What people write in files: the config of a version of each. */
export const configKinds = ['module', 'pipeline'] as const
export type ConfigKind = (typeof configKinds)[number]

/** For editors, and for programs that write one. */
export const schemaOf = (kind: ConfigKind): Json => (kind === 'module' ? moduleSchema() : pipelineSchema())
