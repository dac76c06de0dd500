import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

export const LookMeta = Type.Object(
  {
    observedAt: { ...UtcDateTime, description: 'When the cloud was asked: some seconds ago at most.' },
    isWhole: Type.Boolean({ description: 'Whether this is all; of very much the rest is left out.' }),
    error: Type.Optional(UserFacingError),
  },
  {
    additionalProperties: false,
    description: 'How the list came about; with an error where the cloud does not show it.',
  },
)
export type LookMeta = Static<typeof LookMeta>
