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
    needs: 'caller',
    reply: [200, Favourites],
    refuses: [],
  },
  updateFavourites: {
    operationId: 'updateFavourites',
    method: 'PATCH',
    path: '/favourites',
    tag: 'User',
    summary: 'Replace your favourites',
    needs: 'caller',
    body: dataOf(UpdateFavourites),
    reply: [200, Favourites],
    refuses: ['referenceNotFound'],
  },
} as const satisfies RouteTable
