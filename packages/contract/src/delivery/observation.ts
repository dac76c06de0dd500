import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

export const ObservationMeta = Type.Object(
  {
    observedAt: { ...UtcDateTime, description: 'Time when the cloud was queried, at most a few seconds ago.' },
    isComplete: Type.Boolean({ description: 'Whether the list is complete. Very long lists are truncated.' }),
    error: Type.Optional(UserFacingError),
  },
  {
    additionalProperties: false,
    description: 'Metadata of the list. Contains an error if the cloud does not return it.',
  },
)
export type ObservationMeta = Static<typeof ObservationMeta>
