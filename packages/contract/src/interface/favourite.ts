import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'

const closed = { additionalProperties: false } as const

/** What people come back to. */
export const favouriteTypes = ['SERVICE', 'PIPELINE', 'PROJECT'] as const

export const Favourite = Type.Object(
  {
    type: Type.Enum(favouriteTypes, { description: 'What it is; SERVICE: a module instance in its environment.' }),
    id: Id,
    title: Type.String({ description: 'What it is called, with where it is: `web · production`.' }),
    detail: Type.Optional(Type.String({ description: 'The project that it is in.' })),
  },
  { ...closed, description: 'A record that a member comes back to.' },
)
export type Favourite = Static<typeof Favourite>

export const UpdateFavourites = Type.Object(
  {
    ids: Type.Array(Id, {
      maxItems: 50,
      // Not `uniqueItems`: each is compared to each of a list of any length before its length refuses it.
      description: 'Module instances, pipelines and projects, in the order in which they are shown; each counts once.',
    }),
  },
  { ...closed, description: 'All favourites, from now on.' },
)

export const Favourites = Type.Object(
  { data: Type.Array(Favourite) },
  { ...closed, description: 'The favourites of the caller, in their order; what is gone, or hidden now, is left out.' },
)
export type Favourites = Static<typeof Favourites>
