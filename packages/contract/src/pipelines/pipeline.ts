import { type Static, Type } from 'typebox'
import { Description, Name } from '../modules/naming.ts'
import { GivenId, Id, NewGivenId } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { PipelineRunStatus } from './pipeline-run.ts'

const closed = { additionalProperties: false } as const

export const Pipeline = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Type.Optional(Id),
    projectId: Id,
    givenId: GivenId,
    name: Type.String({ description: 'Display name.' }),
    description: Type.Optional(Type.String({ description: 'Description.' })),
    latestRunId: Type.Optional(Id),
    latestRunStatus: Type.Optional(PipelineRunStatus),
  },
  { ...closed, description: 'Pipeline: a versioned set of steps.' },
)
export type Pipeline = Static<typeof Pipeline>

export const CreatePipeline = Type.Object(
  { projectId: Id, givenId: NewGivenId, name: Name, description: Type.Optional(Description) },
  { ...closed, description: 'Fields of a new pipeline. It has no version yet.' },
)
export type CreatePipeline = Static<typeof CreatePipeline>

export const UpdatePipeline = Type.Object(
  {
    projectId: Type.Optional(Id),
    givenId: Type.Optional(NewGivenId),
    name: Type.Optional(Name),
    description: Type.Optional(Description),
  },
  { ...closed, description: 'Fields of a pipeline to change. Absent fields stay unchanged.' },
)
export type UpdatePipeline = Static<typeof UpdatePipeline>
