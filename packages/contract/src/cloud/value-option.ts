import { type Static, Type } from 'typebox'
import { FreeFormObject } from '../values/free-form.ts'

export const ValueOption = Type.Object(
  {
    value: Type.Union([Type.String(), Type.Number()], { description: 'What the input becomes.' }),
    label: Type.String({ description: 'What to call it.' }),
    description: Type.Optional(Type.String({ description: 'More about it.' })),
    fields: Type.Optional(FreeFormObject),
  },
  {
    additionalProperties: false,
    description: 'A choice that is offered for an input; other values are taken as well.',
  },
)
export type ValueOption = Static<typeof ValueOption>
