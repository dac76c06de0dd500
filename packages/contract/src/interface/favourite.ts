import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'

const closed = { additionalProperties: false } as const

/** Types of resources that can be favourites. */
export const favouriteTypes = ['SERVICE', 'PIPELINE', 'PROJECT'] as const

export const Favourite = Type.Object(
  {
    type: Type.Enum(favouriteTypes, {
      description: 'Type of the favourite. SERVICE: a module instance in its environment.',
    }),
    id: Id,
    title: Type.String({ description: 'Name of the resource and its location, such as `web · production`.' }),
    detail: Type.Optional(Type.String({ description: 'Name of the project.' })),
  },
  { ...closed, description: 'Favourite of a member.' },
)
export type Favourite = Static<typeof Favourite>

export const UpdateFavourites = Type.Object(
  {
    ids: Type.Array(Id, {
      maxItems: 50,
      // Without `uniqueItems`, because it compares every pair of a list of any length before the length is checked.
      description: 'IDs of module instances, pipelines and projects in display order. Duplicates are ignored.',
    }),
  },
  { ...closed, description: 'Complete new list of favourites.' },
)

export const Favourites = Type.Object(
  { data: Type.Array(Favourite) },
  { ...closed, description: 'Favourites of the caller in display order. Deleted and hidden resources are omitted.' },
)
export type Favourites = Static<typeof Favourites>
