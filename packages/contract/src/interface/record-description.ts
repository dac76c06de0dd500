import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** What can be described, as its collection is called in its path. */
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
    relation: Type.String({ description: 'What it is to the record, such as `stack` or `latestDeployment`.' }),
    path: Type.String({ description: 'Where it is read: a record, or the list of those that belong to it.' }),
    id: Type.Optional({ ...Id, description: 'The id of the record; of a list, absent.' }),
  },
  { ...closed, description: 'A record, or a list of records, that belongs to it.' },
)
export type RecordLink = Static<typeof RecordLink>

export const RecordDescription = Type.Object(
  {
    type: Type.Enum(describedTypes, { description: 'What it is, as its collection is called.' }),
    id: Id,
    name: Type.String({ description: 'What people call it.' }),
    path: Type.String({ description: 'Where all of it is read.' }),
    status: Type.Optional(Type.String({ description: 'Where it stands, where it goes anywhere.' })),
    owner: Type.Optional(Type.String({ description: 'Who asked for it, where somebody did.' })),
    arn: Type.Optional(Type.String({ description: "The cloud's name of what it stands for, where one is known." })),
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    links: Type.Array(RecordLink),
  },
  { ...closed, description: 'What a record is, and what belongs to it.' },
)
export type RecordDescription = Static<typeof RecordDescription>
