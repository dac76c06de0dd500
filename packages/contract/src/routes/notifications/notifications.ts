import { Type } from 'typebox'
import { SlackInteraction } from '../../identity/slack-account.ts'
import { notificationTypes } from '../../notifications/notification.ts'
import {
  CreateNotificationChannel,
  mostReplayed,
  NotificationChannel,
  NotificationChannelWithSecret,
  NotificationReplay,
  ReplayNotificationChannel,
  UpdateNotificationChannel,
} from '../../notifications/notification-channel.ts'
import { deliveryStatuses, NotificationDelivery } from '../../notifications/notification-delivery.ts'
import { EventPosition, eventOrders, NotificationEventPage } from '../../notifications/notification-event.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

const closed = { additionalProperties: false } as const

/** Slack sends the whole message along, in which every byte of what people wrote may be three. */
const interactionBytes = 256 * 1024

export const notificationRoutes = {
  createNotificationChannel: {
    operationId: 'createNotificationChannel',
    method: 'POST',
    path: '/notification-channels',
    tag: 'Notifications',
    summary: 'Have somebody told of what happens; shows the secret of a webhook',
    needs: 'notification-channels:write',
    body: dataOf(CreateNotificationChannel),
    reply: [201, dataOf(NotificationChannelWithSecret)],
    refuses: ['referenceNotFound', 'tooManyNotificationChannels', 'mailNotSetUp'],
  },
  listNotificationChannels: {
    operationId: 'listNotificationChannels',
    method: 'GET',
    path: '/notification-channels',
    tag: 'Notifications',
    summary: 'List notification channels',
    needs: 'notification-channels:read',
    query: Type.Object(pageParams, closed),
    reply: [200, listOf(NotificationChannel)],
    refuses: ['cursorInvalid'],
  },
  getNotificationChannel: {
    operationId: 'getNotificationChannel',
    method: 'GET',
    path: '/notification-channels/{id}',
    tag: 'Notifications',
    summary: 'Get a notification channel',
    needs: 'notification-channels:read',
    params: IdParams,
    reply: [200, dataOf(NotificationChannel)],
    refuses: ['notificationChannelNotFound'],
  },
  updateNotificationChannel: {
    operationId: 'updateNotificationChannel',
    method: 'PATCH',
    path: '/notification-channels/{id}',
    tag: 'Notifications',
    summary: 'Change a notification channel',
    needs: 'notification-channels:write',
    params: IdParams,
    body: dataOf(UpdateNotificationChannel),
    reply: [200, dataOf(NotificationChannel)],
    refuses: ['notificationChannelNotFound', 'referenceNotFound'],
  },
  deleteNotificationChannel: {
    operationId: 'deleteNotificationChannel',
    method: 'DELETE',
    path: '/notification-channels/{id}',
    tag: 'Notifications',
    summary: 'Delete a notification channel, with its deliveries',
    needs: 'notification-channels:write',
    params: IdParams,
    reply: noContent,
    refuses: ['notificationChannelNotFound'],
  },
  testNotificationChannel: {
    operationId: 'testNotificationChannel',
    method: 'POST',
    path: '/notification-channels/{id}/test',
    tag: 'Notifications',
    summary: 'Send something to a notification channel, to see whether it arrives',
    needs: 'notification-channels:write',
    params: IdParams,
    reply: [201, dataOf(NotificationDelivery)],
    refuses: ['notificationChannelNotFound', 'notificationChannelDisabled'],
  },
  rotateNotificationChannelSecret: {
    operationId: 'rotateNotificationChannelSecret',
    method: 'POST',
    path: '/notification-channels/{id}/rotate-secret',
    tag: 'Notifications',
    summary: 'Make a new secret for a webhook; for a day, requests are signed with both',
    needs: 'notification-channels:write',
    params: IdParams,
    reply: [200, dataOf(NotificationChannelWithSecret)],
    refuses: ['notificationChannelNotFound', 'notificationChannelUnsigned'],
  },
  replayNotificationChannel: {
    operationId: 'replayNotificationChannel',
    method: 'POST',
    path: '/notification-channels/{id}/replay',
    tag: 'Notifications',
    summary: `Tell a webhook again what happened after a position, up to ${mostReplayed} events at a time`,
    needs: 'notification-channels:write',
    params: IdParams,
    body: dataOf(ReplayNotificationChannel),
    reply: [200, dataOf(NotificationReplay)],
    refuses: [
      'notificationChannelNotFound',
      'notificationChannelDisabled',
      'notificationChannelNotReplayable',
      'notificationPositionForgotten',
    ],
  },
  /** Called by Slack, which signs with the secret of the channel's app instead of a bearer token. */
  receiveSlackInteraction: {
    operationId: 'receiveSlackInteraction',
    method: 'POST',
    path: '/notification-channels/{id}/slack-interactions',
    tag: 'Notifications',
    summary: 'Take from Slack that somebody pressed a button in the message of a notification channel',
    needs: 'anyone',
    params: IdParams,
    body: SlackInteraction,
    maxBodyBytes: interactionBytes,
    reply: [200, Type.Object({}, { ...closed, description: 'Nothing: the answer comes in Slack.' })],
    refuses: ['slackSignatureWrong'],
  },
  listNotificationEvents: {
    operationId: 'listNotificationEvents',
    method: 'GET',
    path: '/notification-events',
    tag: 'Notifications',
    summary: 'List what happened, of the last 30 days: after a position, or the newest first',
    needs: 'notification-events:read',
    query: Type.Object(
      {
        limit: pageParams.limit,
        order: Type.Enum(eventOrders, {
          default: 'OLDEST_FIRST',
          description: 'OLDEST_FIRST: to go on from where one was. NEWEST_FIRST: to look back from now.',
        }),
        after: Type.Optional({ ...EventPosition, description: 'Only what comes after this position.' }),
        before: Type.Optional({ ...EventPosition, description: 'Only what comes before this position.' }),
        projectId: Type.Optional({ ...Id, description: 'Only what happened in this project.' }),
        types: Type.Optional(
          Type.Array(Type.Enum(notificationTypes, { description: 'What happens.' }), {
            minItems: 1,
            maxItems: 50,
            description: 'Only these types; all, where none is named.',
          }),
        ),
      },
      closed,
    ),
    reply: [200, NotificationEventPage],
    refuses: ['notificationPositionForgotten'],
  },
  listNotificationDeliveries: {
    operationId: 'listNotificationDeliveries',
    method: 'GET',
    path: '/notification-channels/{id}/deliveries',
    tag: 'Notifications',
    summary: 'List what a notification channel was told, of the last 30 days',
    needs: 'notification-channels:read',
    params: IdParams,
    query: Type.Object(
      {
        ...pageParams,
        status: Type.Optional(Type.Enum(deliveryStatuses, { description: 'Only those that stand so.' })),
      },
      closed,
    ),
    reply: [200, listOf(NotificationDelivery)],
    refuses: ['notificationChannelNotFound', 'cursorInvalid'],
  },
  getNotificationDelivery: {
    operationId: 'getNotificationDelivery',
    method: 'GET',
    path: '/notification-deliveries/{id}',
    tag: 'Notifications',
    summary: 'Get what a notification channel was told',
    needs: 'notification-channels:read',
    params: IdParams,
    reply: [200, dataOf(NotificationDelivery)],
    refuses: ['notificationDeliveryNotFound'],
  },
  resendNotificationDelivery: {
    operationId: 'resendNotificationDelivery',
    method: 'POST',
    path: '/notification-deliveries/{id}/resend',
    tag: 'Notifications',
    summary: 'Tell a notification channel the same again, as a new delivery',
    needs: 'notification-channels:write',
    params: IdParams,
    reply: [201, dataOf(NotificationDelivery)],
    refuses: ['notificationDeliveryNotFound', 'notificationChannelDisabled'],
  },
} as const satisfies RouteTable
