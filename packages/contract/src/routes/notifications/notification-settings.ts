import { NotificationSettings, UpdateNotificationSettings } from '../../notifications/notification-settings.ts'
import { dataOf } from '../../values/envelope.ts'
import type { RouteTable } from '../route.ts'

/** Members see and change their own, and nobody else's. */
export const notificationSettingsRoutes = {
  getNotificationSettings: {
    operationId: 'getNotificationSettings',
    method: 'GET',
    path: '/notification-settings',
    tag: 'User',
    summary: 'What you are written to about in this organization',
    needs: 'caller',
    reply: [200, dataOf(NotificationSettings)],
    refuses: [],
  },
  updateNotificationSettings: {
    operationId: 'updateNotificationSettings',
    method: 'PATCH',
    path: '/notification-settings',
    tag: 'User',
    summary: 'Change what you are written to about',
    needs: 'caller',
    body: dataOf(UpdateNotificationSettings),
    reply: [200, dataOf(NotificationSettings)],
    refuses: ['referenceNotFound'],
  },
} as const satisfies RouteTable
