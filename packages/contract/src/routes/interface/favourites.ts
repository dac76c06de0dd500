import { Favourites, UpdateFavourites } from '../../interface/favourite.ts'
import { dataOf } from '../../values/envelope.ts'
import type { RouteTable } from '../route.ts'

/** Members see and change only their own favourites. */
export const favouriteRoutes = {
  listFavourites: {
    operationId: 'listFavourites',
    method: 'GET',
    path: '/favourites',
    tag: 'User',
    summary: 'List your favourites in this organization',
    permission: 'caller',
    response: [200, Favourites],
    errors: [],
  },
  updateFavourites: {
    operationId: 'updateFavourites',
    method: 'PATCH',
    path: '/favourites',
    tag: 'User',
    summary: 'Replace your favourites',
    permission: 'caller',
    body: dataOf(UpdateFavourites),
    response: [200, Favourites],
    errors: ['referenceNotFound'],
  },
} as const satisfies RouteTable
