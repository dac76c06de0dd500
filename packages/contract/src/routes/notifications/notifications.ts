import { Type } from 'typebox'
import { SlackInteraction } from '../../identity/slack-account.ts'
import { notificationTypes } from '../../notifications/notification.ts'
import {
  CreateNotificationChannel,
  maxReplayedEvents,
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

/** Slack includes the whole message, in which each byte of user text can take three bytes. */
const interactionBytes = 256 * 1024

const nameFilter = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }))

export const notificationRoutes = {
  createNotificationChannel: {
    operationId: 'createNotificationChannel',
    method: 'POST',
    path: '/notification-channels',
    tag: 'Notifications',
    summary: 'Create a notification channel and return the secret of a webhook',
    permission: 'notification-channels:write',
    body: dataOf(CreateNotificationChannel),
    response: [201, dataOf(NotificationChannelWithSecret)],
    errors: ['referenceNotFound', 'tooManyNotificationChannels', 'mailNotSetUp'],
  },
  listNotificationChannels: {
    operationId: 'listNotificationChannels',
    method: 'GET',
    path: '/notification-channels',
    tag: 'Notifications',
    summary: 'List notification channels',
    permission: 'notification-channels:read',
    query: Type.Object(pageParams, closed),
    response: [200, listOf(NotificationChannel)],
    errors: ['cursorInvalid'],
  },
  getNotificationChannel: {
    operationId: 'getNotificationChannel',
    method: 'GET',
    path: '/notification-channels/{id}',
    tag: 'Notifications',
    summary: 'Get a notification channel',
    permission: 'notification-channels:read',
    params: IdParams,
    response: [200, dataOf(NotificationChannel)],
    errors: ['notificationChannelNotFound'],
  },
  updateNotificationChannel: {
    operationId: 'updateNotificationChannel',
    method: 'PATCH',
    path: '/notification-channels/{id}',
    tag: 'Notifications',
    summary: 'Update a notification channel',
    permission: 'notification-channels:write',
    params: IdParams,
    body: dataOf(UpdateNotificationChannel),
    response: [200, dataOf(NotificationChannel)],
    errors: ['notificationChannelNotFound', 'referenceNotFound'],
  },
  deleteNotificationChannel: {
    operationId: 'deleteNotificationChannel',
    method: 'DELETE',
    path: '/notification-channels/{id}',
    tag: 'Notifications',
    summary: 'Delete a notification channel and its deliveries',
    permission: 'notification-channels:write',
    params: IdParams,
    response: noContent,
    errors: ['notificationChannelNotFound'],
  },
  testNotificationChannel: {
    operationId: 'testNotificationChannel',
    method: 'POST',
    path: '/notification-channels/{id}/test',
    tag: 'Notifications',
    summary: 'Send a test notification to a channel',
    permission: 'notification-channels:write',
    params: IdParams,
    response: [201, dataOf(NotificationDelivery)],
    errors: ['notificationChannelNotFound', 'notificationChannelDisabled'],
  },
  rotateNotificationChannelSecret: {
    operationId: 'rotateNotificationChannelSecret',
    method: 'POST',
    path: '/notification-channels/{id}/rotate-secret',
    tag: 'Notifications',
    summary: 'Rotate the secret of a webhook; requests are signed with both secrets for one day',
    permission: 'notification-channels:write',
    params: IdParams,
    response: [200, dataOf(NotificationChannelWithSecret)],
    errors: ['notificationChannelNotFound', 'notificationChannelUnsigned'],
  },
  replayNotificationChannel: {
    operationId: 'replayNotificationChannel',
    method: 'POST',
    path: '/notification-channels/{id}/replay',
    tag: 'Notifications',
    summary: `Replay events to a webhook after a position, up to ${maxReplayedEvents} events per request`,
    permission: 'notification-channels:write',
    params: IdParams,
    body: dataOf(ReplayNotificationChannel),
    response: [200, dataOf(NotificationReplay)],
    errors: [
      'notificationChannelNotFound',
      'notificationChannelDisabled',
      'notificationChannelNotReplayable',
      'notificationPositionForgotten',
    ],
  },
  /** Called by Slack, which signs with the secret of the channel's app instead of sending a bearer token. */
  receiveSlackInteraction: {
    operationId: 'receiveSlackInteraction',
    method: 'POST',
    path: '/notification-channels/{id}/slack-interactions',
    tag: 'Notifications',
    summary: 'Receive a button press from Slack',
    permission: 'anyone',
    params: IdParams,
    body: SlackInteraction,
    maxBodyBytes: interactionBytes,
    response: [200, Type.Object({}, { ...closed, description: 'Empty; the result is displayed in Slack.' })],
    errors: ['slackSignatureWrong'],
  },
  listNotificationEvents: {
    operationId: 'listNotificationEvents',
    method: 'GET',
    path: '/notification-events',
    tag: 'Notifications',
    summary: 'List events of the last 30 days',
    permission: 'notification-events:read',
    query: Type.Object(
      {
        limit: pageParams.limit,
        order: Type.Enum(eventOrders, {
          default: 'OLDEST_FIRST',
          description: 'OLDEST_FIRST: continue after a position. NEWEST_FIRST: list recent events.',
        }),
        after: Type.Optional({ ...EventPosition, description: 'Only events after this position.' }),
        before: Type.Optional({ ...EventPosition, description: 'Only events before this position.' }),
        projectId: Type.Optional({ ...Id, description: 'Filters by project.' }),
        environmentId: Type.Optional({ ...Id, description: 'Filters by environment.' }),
        service: nameFilter('Filters by a part of the name of the module instance.'),
        triggeredBy: nameFilter('Filters by a part of the name of the user or service account that caused the event.'),
        types: Type.Optional(
          Type.Array(Type.Enum(notificationTypes, { description: 'Type of event.' }), {
            minItems: 1,
            maxItems: 50,
            description: 'Filters by event type. Defaults to all types.',
          }),
        ),
      },
      closed,
    ),
    response: [200, NotificationEventPage],
    errors: ['notificationPositionForgotten'],
  },
  listNotificationDeliveries: {
    operationId: 'listNotificationDeliveries',
    method: 'GET',
    path: '/notification-channels/{id}/deliveries',
    tag: 'Notifications',
    summary: 'List the deliveries of a notification channel in the last 30 days',
    permission: 'notification-channels:read',
    params: IdParams,
    query: Type.Object(
      {
        ...pageParams,
        status: Type.Optional(Type.Enum(deliveryStatuses, { description: 'Filters by status.' })),
      },
      closed,
    ),
    response: [200, listOf(NotificationDelivery)],
    errors: ['notificationChannelNotFound', 'cursorInvalid'],
  },
  getNotificationDelivery: {
    operationId: 'getNotificationDelivery',
    method: 'GET',
    path: '/notification-deliveries/{id}',
    tag: 'Notifications',
    summary: 'Get a delivery of a notification channel',
    permission: 'notification-channels:read',
    params: IdParams,
    response: [200, dataOf(NotificationDelivery)],
    errors: ['notificationDeliveryNotFound'],
  },
  resendNotificationDelivery: {
    operationId: 'resendNotificationDelivery',
    method: 'POST',
    path: '/notification-deliveries/{id}/resend',
    tag: 'Notifications',
    summary: 'Resend a delivery of a notification channel',
    permission: 'notification-channels:write',
    params: IdParams,
    response: [201, dataOf(NotificationDelivery)],
    errors: ['notificationDeliveryNotFound', 'notificationChannelDisabled'],
  },
} as const satisfies RouteTable
