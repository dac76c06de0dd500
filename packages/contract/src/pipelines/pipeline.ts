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
    description: Type.Optional(Type.String({ description: 'Display text.' })),
    latestRunId: Type.Optional(Id),
    latestRunStatus: Type.Optional(PipelineRunStatus),
  },
  { ...closed, description: 'Versioned steps that are run together.' },
)
export type Pipeline = Static<typeof Pipeline>

export const CreatePipeline = Type.Object(
  { projectId: Id, givenId: NewGivenId, name: Name, description: Type.Optional(Description) },
  { ...closed, description: 'A new pipeline, without a version yet.' },
)
export type CreatePipeline = Static<typeof CreatePipeline>

export const UpdatePipeline = Type.Object(
  {
    projectId: Type.Optional(Id),
    givenId: Type.Optional(NewGivenId),
    name: Type.Optional(Name),
    description: Type.Optional(Description),
  },
  { ...closed, description: 'What to change.' },
)
export type UpdatePipeline = Static<typeof UpdatePipeline>
