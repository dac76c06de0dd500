import { type Static, Type } from 'typebox'
import { FreeFormObject } from './free-form.ts'

export const errorDetailRenders = ['list', 'object'] as const

/** Title of the section with the last lines that a failed program wrote. */
export const lastLinesTitle = 'Its last lines'

export const ErrorAction = Type.Object(
  {
    label: Type.String({ description: 'Label of the action.' }),
    url: Type.String({ description: 'URL of the action.' }),
  },
  { additionalProperties: false, description: 'Action that resolves the error.' },
)
export type ErrorAction = Static<typeof ErrorAction>

export const ErrorDetail = Type.Object(
  {
    title: Type.String({ description: 'Title of the section.' }),
    render: Type.Enum(errorDetailRenders, {
      description: "Field that contains the section's content: `items` or `object`.",
    }),
    items: Type.Optional(Type.Array(Type.String(), { description: 'Lines of the section.' })),
    object: Type.Optional(FreeFormObject),
  },
  { additionalProperties: false, description: 'Section with further details.' },
)
export type ErrorDetail = Static<typeof ErrorDetail>

/** Body of error responses, and `error` field of failed resources. */
export const UserFacingError = Type.Object(
  {
    code: Type.String({ description: 'Error code from the catalogue: <Namespace>:<Area>:<CODE>.' }),
    message: Type.String({ description: 'Error message.' }),
    description: Type.Optional(Type.String({ description: 'Additional detail.' })),
    action: Type.Optional(ErrorAction),
    details: Type.Optional(Type.Array(ErrorDetail)),
    isInternal: Type.Optional(
      Type.Boolean({ description: 'Whether internal details are included. Set only for superadmins.' }),
    ),
    metadata: Type.Optional(FreeFormObject),
    requestId: Type.Optional(
      Type.String({ description: 'Request ID, which identifies the request in the server log.' }),
    ),
  },
  { additionalProperties: false, description: 'Error and how to resolve it.' },
)
export type UserFacingError = Static<typeof UserFacingError>
