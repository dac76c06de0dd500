import { type Static, Type } from 'typebox'
import { Description, Name, Restricted, Visibility } from '../modules/naming.ts'
import { GivenId, Id, NewGivenId } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const Environment = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: Id,
    givenId: GivenId,
    name: Name,
    description: Type.Optional(Description),
    restricted: Restricted,
    visibility: Visibility,
    previewEnvironmentId: Type.Optional({
      ...Id,
      description: 'ID of the preview environment that this environment belongs to.',
    }),
  },
  { ...closed, description: 'Environment of a project that contains module instances, such as production.' },
)
export type Environment = Static<typeof Environment>

const given = {
  givenId: NewGivenId,
  name: Name,
  description: Type.Optional(Description),
  restricted: Type.Optional(Restricted),
  visibility: Type.Optional(Visibility),
}

export const CreateEnvironment = Type.Object(
  { projectId: Id, ...given },
  { ...closed, description: 'Fields of a new environment.' },
)
export type CreateEnvironment = Static<typeof CreateEnvironment>

/** `projectId` cannot be changed, because the contents of the environment belong to both. */
export const UpdateEnvironment = Type.Partial(Type.Object(given), {
  ...closed,
  description: 'Fields of an environment to change. Absent fields stay unchanged.',
})
export type UpdateEnvironment = Static<typeof UpdateEnvironment>
