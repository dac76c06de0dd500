import { type Static, Type } from 'typebox'
import { Id } from './ids.ts'
import { UtcDateTime } from './time.ts'

const closed = { additionalProperties: false } as const

/** The collections whose changes are told, by the first part of their paths. */
export const changingResources = [
  'certificates',
  'cloud-accounts',
  'code-sources',
  'deployments',
  'domains',
  'environments',
  'execution-environments',
  'iac-plans',
  'module-definitions',
  'module-instances',
  'module-versions',
  'pipeline-runs',
  'pipeline-step-executions',
  'pipeline-versions',
  'pipelines',
  'projects',
  'stacks',
] as const
export type ChangingResource = (typeof changingResources)[number]

export const Change = Type.Object(
  {
    resource: Type.Enum(changingResources, { description: 'The collection of the record, as in its path.' }),
    id: Id,
    belongsTo: Type.Record(Type.String(), Id, {
      description: 'The records that it is part of, by the names of its fields, such as `moduleInstanceId`.',
    }),
    changedAt: UtcDateTime,
  },
  { ...closed, description: 'A record that was made, changed or removed: read it anew to see how.' },
)
export type Change = Static<typeof Change>
