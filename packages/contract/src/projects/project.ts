import { type Static, Type } from 'typebox'
import { Description, Name, Restricted, Visibility } from '../modules/naming.ts'
import { GivenId, Id, NewGivenId } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const Project = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    givenId: GivenId,
    name: Name,
    description: Type.Optional(Description),
    restricted: Restricted,
    visibility: Visibility,
  },
  { ...closed, description: 'Group of environments, pipelines and stacks.' },
)
export type Project = Static<typeof Project>

export const CreateProject = Type.Object(
  {
    givenId: NewGivenId,
    name: Name,
    description: Type.Optional(Description),
    restricted: Type.Optional(Restricted),
    visibility: Type.Optional(Visibility),
  },
  { ...closed, description: 'Fields of a new project.' },
)
export type CreateProject = Static<typeof CreateProject>

export const UpdateProject = Type.Partial(CreateProject, {
  ...closed,
  description: 'Fields of a project to change. Absent fields stay unchanged.',
})
export type UpdateProject = Static<typeof UpdateProject>
