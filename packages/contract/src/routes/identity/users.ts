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
    needs: 'caller',
    reply: [200, dataOf(User)],
    refuses: ['userNotFound'],
  },
  updateMe: {
    operationId: 'updateMe',
    method: 'PATCH',
    path: '/users/me',
    tag: 'User',
    summary: 'Update your names or your password',
    needs: 'caller',
    body: dataOf(UpdateUser),
    reply: [200, dataOf(User)],
    refuses: ['userNotFound', 'currentPasswordWrong'],
  },
} as const satisfies RouteTable
