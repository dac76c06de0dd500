import type { RefusalEntry } from './entry.ts'

export const notificationRefusals = {
  notificationChannelNotFound: {
    code: 'Sluice:NotificationChannels:NOT_FOUND',
    status: 404,
    title: 'There is no such notification channel.',
  },
  notificationDeliveryNotFound: {
    code: 'Sluice:NotificationDeliveries:NOT_FOUND',
    status: 404,
    title: 'There is no such delivery.',
  },
  tooManyNotificationChannels: {
    code: 'Sluice:NotificationChannels:TOO_MANY',
    status: 422,
    title: 'The organization has as many notification channels as it may have.',
  },
  notificationChannelDisabled: {
    code: 'Sluice:NotificationChannels:DISABLED',
    status: 422,
    title: 'The notification channel is disabled.',
  },
  mailNotSetUp: {
    code: 'Sluice:NotificationChannels:MAIL_NOT_SET_UP',
    status: 422,
    title: 'This installation sends no mail.',
  },
  notificationChannelUnsigned: {
    code: 'Sluice:NotificationChannels:UNSIGNED',
    status: 422,
    title: 'What the notification channel is sent is not signed.',
  },
  slackSignatureWrong: {
    code: 'Sluice:NotificationChannels:SLACK_SIGNATURE_WRONG',
    status: 401,
    title: 'The request is not signed by the Slack app of a notification channel.',
  },
  notificationChannelNotReplayable: {
    code: 'Sluice:NotificationChannels:NOT_REPLAYABLE',
    status: 422,
    title: 'Only webhooks are told again what happened.',
  },
  notificationPositionForgotten: {
    code: 'Sluice:NotificationEvents:POSITION_FORGOTTEN',
    status: 422,
    title: 'Events after that position are forgotten.',
  },
} as const satisfies Record<string, RefusalEntry>
