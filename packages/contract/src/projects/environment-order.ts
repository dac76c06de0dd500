import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'

/** Maximum number of environments in the order of a project. */
const maxEnvironments = 500

export const EnvironmentOrder = Type.Object(
  {
    order: Type.Array(Id, {
      maxItems: maxEnvironments,
      uniqueItems: true,
      description: "IDs of the project's environments, from the first promotion stage to production.",
    }),
  },
  { additionalProperties: false, description: 'Order of the environments of a project.' },
)
export type EnvironmentOrder = Static<typeof EnvironmentOrder>
