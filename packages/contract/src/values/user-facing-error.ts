import { type Static, Type } from 'typebox'
import { FreeFormObject } from './free-form.ts'

export const errorDetailRenders = ['list', 'object'] as const

/** The heading of the section that has the last lines that a failed program wrote. */
export const lastLinesTitle = 'Its last lines'

export const ErrorAction = Type.Object(
  {
    label: Type.String({ description: 'What to call the action.' }),
    url: Type.String({ description: 'Where it is done.' }),
  },
  { additionalProperties: false, description: 'An action that would resolve the error.' },
)
export type ErrorAction = Static<typeof ErrorAction>

export const ErrorDetail = Type.Object(
  {
    title: Type.String({ description: 'Heading of the section.' }),
    render: Type.Enum(errorDetailRenders, { description: 'Which of `items` and `object` the section shows.' }),
    items: Type.Optional(Type.Array(Type.String(), { description: 'One line each.' })),
    object: Type.Optional(FreeFormObject),
  },
  { additionalProperties: false, description: 'A section of further detail.' },
)
export type ErrorDetail = Static<typeof ErrorDetail>

/** The body of every error reply, and the `error` field of every resource that failed. */
export const UserFacingError = Type.Object(
  {
    code: Type.String({ description: 'Full code from the catalogue: <Namespace>:<Area>:<CODE>.' }),
    message: Type.String({ description: 'What went wrong, in one sentence.' }),
    description: Type.Optional(Type.String({ description: 'Extra detail.' })),
    action: Type.Optional(ErrorAction),
    details: Type.Optional(Type.Array(ErrorDetail)),
    isInternal: Type.Optional(
      Type.Boolean({ description: 'Set only where internal details are shown to a superadmin.' }),
    ),
    metadata: Type.Optional(FreeFormObject),
    requestId: Type.Optional(Type.String({ description: 'Finds the request in the server log.' })),
  },
  { additionalProperties: false, description: 'What went wrong, and what to do about it.' },
)
export type UserFacingError = Static<typeof UserFacingError>
