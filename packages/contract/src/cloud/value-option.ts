import { type Static, Type } from 'typebox'
import { FreeFormObject } from '../values/free-form.ts'

export const ValueOption = Type.Object(
  {
    value: Type.Union([Type.String(), Type.Number()], { description: 'Value of the input.' }),
    label: Type.String({ description: 'Display name.' }),
    description: Type.Optional(Type.String({ description: 'Description.' })),
    fields: Type.Optional(FreeFormObject),
  },
  {
    additionalProperties: false,
    description: 'Option for an input. Other values are accepted too.',
  },
)
export type ValueOption = Static<typeof ValueOption>
