import { UpdateUser, User } from '../../identity/user.ts'
import { dataOf } from '../../values/envelope.ts'
import type { RouteTable } from '../route.ts'

export const userRoutes = {
  getMe: {
    operationId: 'getMe',
    method: 'GET',
    path: '/users/me',
    tag: 'User',
    summary: 'Get the calling user',
    permission: 'caller',
    response: [200, dataOf(User)],
    errors: ['userNotFound'],
  },
  updateMe: {
    operationId: 'updateMe',
    method: 'PATCH',
    path: '/users/me',
    tag: 'User',
    summary: 'Update your names or your password',
    permission: 'caller',
    body: dataOf(UpdateUser),
    response: [200, dataOf(User)],
    errors: ['userNotFound', 'currentPasswordWrong'],
  },
} as const satisfies RouteTable
