import { SavedViews, UpdateSavedViews } from '../../interface/saved-view.ts'
import { dataOf } from '../../values/envelope.ts'
import type { RouteTable } from '../route.ts'

/** Members see their own views and shared ones, and change only their own. */
export const savedViewRoutes = {
  listSavedViews: {
    operationId: 'listSavedViews',
    method: 'GET',
    path: '/saved-views',
    tag: 'User',
    summary: 'List your saved views, and those that others share',
    permission: 'caller',
    response: [200, SavedViews],
    errors: [],
  },
  updateSavedViews: {
    operationId: 'updateSavedViews',
    method: 'PATCH',
    path: '/saved-views',
    tag: 'User',
    summary: 'Replace your saved views of a page',
    permission: 'caller',
    body: dataOf(UpdateSavedViews),
    response: [200, SavedViews],
    errors: [],
  },
} as const satisfies RouteTable
