import { type Static, Type } from 'typebox'
import { freeFormLike } from '../values/free-form.ts'

export const BundledModule = Type.Object(
  {
    type: Type.String({ description: 'Type of the module, as a slug. A module definition can use the same type.' }),
    name: Type.String({ description: 'Display name.' }),
    description: Type.String({ description: 'Description of what the module releases.' }),
    version: Type.String({ description: 'Semantic version of the configuration.' }),
    config: freeFormLike({ inputs: [{ id: 'image_ref', type: 'string', required: true }] }),
  },
  { additionalProperties: false, description: 'Module bundled with Sluice that you can publish as your own.' },
)
export type BundledModule = Static<typeof BundledModule>
