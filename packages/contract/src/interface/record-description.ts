import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** Types of resources that can be described, named like the collection in their path. */
export const describedTypes = [
  'cloud-accounts',
  'deployments',
  'environments',
  'iac-resources',
  'memberships',
  'module-instances',
  'pipeline-runs',
  'pipeline-step-executions',
  'pipelines',
  'projects',
  'service-accounts',
  'stacks',
] as const
export type DescribedType = (typeof describedTypes)[number]

export const RecordLink = Type.Object(
  {
    relation: Type.String({ description: 'Relation to the resource, such as `stack` or `latestDeployment`.' }),
    path: Type.String({ description: 'Path of the related resource, or of the list of related resources.' }),
    id: Type.Optional({ ...Id, description: 'ID of the related resource. Absent for a list.' }),
  },
  { ...closed, description: 'Related resource or list of resources.' },
)
export type RecordLink = Static<typeof RecordLink>

export const RecordDescription = Type.Object(
  {
    type: Type.Enum(describedTypes, { description: 'Type of the resource, named like its collection.' }),
    id: Id,
    name: Type.String({ description: 'Name of the resource.' }),
    path: Type.String({ description: 'Path of the resource in the API.' }),
    status: Type.Optional(Type.String({ description: 'Status of the resource, if it has one.' })),
    owner: Type.Optional(
      Type.String({ description: 'Name of the user or service account that requested the resource, if any.' }),
    ),
    arn: Type.Optional(Type.String({ description: 'ARN of the cloud resource that it represents, if known.' })),
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    links: Type.Array(RecordLink),
  },
  { ...closed, description: 'Description of a resource and its related resources.' },
)
export type RecordDescription = Static<typeof RecordDescription>
