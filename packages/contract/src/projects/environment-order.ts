import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'

/** In so many environments a project is kept in order. */
const most = 500

export const EnvironmentOrder = Type.Object(
  {
    order: Type.Array(Id, {
      maxItems: most,
      uniqueItems: true,
      description: 'The environments of the project, the first step on the way to users first.',
    }),
  },
  { additionalProperties: false, description: 'The order in which a team looks at the environments of a project.' },
)
export type EnvironmentOrder = Static<typeof EnvironmentOrder>
