import { NotificationSettings, UpdateNotificationSettings } from '../../notifications/notification-settings.ts'
import { dataOf } from '../../values/envelope.ts'
import type { RouteTable } from '../route.ts'

/** Members see and change only their own settings. */
export const notificationSettingsRoutes = {
  getNotificationSettings: {
    operationId: 'getNotificationSettings',
    method: 'GET',
    path: '/notification-settings',
    tag: 'User',
    summary: 'Get your mail notification settings in this organization',
    permission: 'caller',
    response: [200, dataOf(NotificationSettings)],
    errors: [],
  },
  updateNotificationSettings: {
    operationId: 'updateNotificationSettings',
    method: 'PATCH',
    path: '/notification-settings',
    tag: 'User',
    summary: 'Update your mail notification settings',
    permission: 'caller',
    body: dataOf(UpdateNotificationSettings),
    response: [200, dataOf(NotificationSettings)],
    errors: ['referenceNotFound'],
  },
} as const satisfies RouteTable
