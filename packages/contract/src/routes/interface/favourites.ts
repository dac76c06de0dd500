import { Favourites, UpdateFavourites } from '../../interface/favourite.ts'
import { dataOf } from '../../values/envelope.ts'
import type { RouteTable } from '../route.ts'

/** Members see and change their own, and nobody else's. */
export const favouriteRoutes = {
  listFavourites: {
    operationId: 'listFavourites',
    method: 'GET',
    path: '/favourites',
    tag: 'User',
    summary: 'List your favourites in this organization',
    needs: 'caller',
    reply: [200, Favourites],
    refuses: [],
  },
  updateFavourites: {
    operationId: 'updateFavourites',
    method: 'PATCH',
    path: '/favourites',
    tag: 'User',
    summary: 'Say what your favourites are; those that are left out are none any more',
    needs: 'caller',
    body: dataOf(UpdateFavourites),
    reply: [200, Favourites],
    refuses: ['referenceNotFound'],
  },
} as const satisfies RouteTable
