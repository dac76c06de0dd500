import { type Static, Type } from 'typebox'
import { freeFormLike } from '../values/free-form.ts'

export const BundledModule = Type.Object(
  {
    type: Type.String({ description: 'What the module is, as a slug; a definition may take it over.' }),
    name: Type.String({ description: 'Display name.' }),
    description: Type.String({ description: 'What it releases.' }),
    version: Type.String({ description: 'Semantic version of this config.' }),
    config: freeFormLike({ inputs: [{ id: 'image_ref', type: 'string', required: true }] }),
  },
  { additionalProperties: false, description: 'A module that comes with Sluice, ready to be published as your own.' },
)
export type BundledModule = Static<typeof BundledModule>
