import type { ApiErrorEntry } from './entry.ts'

export const notificationErrors = {
  notificationChannelNotFound: {
    code: 'Sluice:NotificationChannels:NOT_FOUND',
    status: 404,
    title: 'The notification channel does not exist.',
  },
  notificationDeliveryNotFound: {
    code: 'Sluice:NotificationDeliveries:NOT_FOUND',
    status: 404,
    title: 'The delivery does not exist.',
  },
  tooManyNotificationChannels: {
    code: 'Sluice:NotificationChannels:TOO_MANY',
    status: 422,
    title: 'The organization has reached its limit of notification channels.',
  },
  notificationChannelDisabled: {
    code: 'Sluice:NotificationChannels:DISABLED',
    status: 422,
    title: 'The notification channel is disabled.',
  },
  mailNotSetUp: {
    code: 'Sluice:NotificationChannels:MAIL_NOT_SET_UP',
    status: 422,
    title: 'Mail is not configured in this installation.',
  },
  notificationChannelUnsigned: {
    code: 'Sluice:NotificationChannels:UNSIGNED',
    status: 422,
    title: 'Requests to the notification channel are not signed.',
  },
  slackSignatureWrong: {
    code: 'Sluice:NotificationChannels:SLACK_SIGNATURE_INVALID',
    status: 401,
    title: 'The request is not signed by the Slack app of the notification channel.',
  },
  notificationChannelNotReplayable: {
    code: 'Sluice:NotificationChannels:NOT_REPLAYABLE',
    status: 422,
    title: 'Only webhooks support replay.',
  },
  notificationPositionForgotten: {
    code: 'Sluice:NotificationEvents:POSITION_EXPIRED',
    status: 422,
    title: 'Events after this position are no longer retained.',
  },
} as const satisfies Record<string, ApiErrorEntry>
