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
      description: 'The preview environment of a pull request that it is.',
    }),
  },
  { ...closed, description: 'A place in a project that module instances live in, such as production.' },
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
  { ...closed, description: 'A new environment.' },
)
export type CreateEnvironment = Static<typeof CreateEnvironment>

/** An environment stays in its project: what lives in it belongs to both. */
export const UpdateEnvironment = Type.Partial(Type.Object(given), {
  ...closed,
  description: 'Changes to an environment; what is left out stays.',
})
export type UpdateEnvironment = Static<typeof UpdateEnvironment>
