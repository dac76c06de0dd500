import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { subscribableTypes } from './notification.ts'
import { NotificationChannel } from './notification-channel.ts'

const closed = { additionalProperties: false } as const

/** Topics about which a user receives mail. */
export const notificationTopics = ['STARTED', 'APPROVALS', 'CRITICAL', 'FOLLOWED'] as const
export type NotificationTopic = (typeof notificationTopics)[number]

/** Default topics. */
export const defaultTopics = ['STARTED', 'APPROVALS', 'CRITICAL'] as const satisfies NotificationTopic[]

const { enabled, minimumSeverity, environmentIds, quietHours, digest, timeZone, disabledReason } =
  NotificationChannel.properties

const settings = {
  enabled: {
    ...enabled,
    description: 'Whether to send you mail. Disabling it discards waiting notifications.',
  },
  topics: Type.Array(Type.Enum(notificationTopics, { description: 'Notification topic.' }), {
    maxItems: notificationTopics.length,
    uniqueItems: true,
    description:
      'Topics to receive. STARTED: something you started fails, is rolled back or waits for a decision. APPROVALS: something waits for an approval that you can give. CRITICAL: all critical events, while you are an owner. FOLLOWED: events that match the four fields below. Defaults to the first three.',
  }),
  projectIds: Type.Array(Id, {
    maxItems: 100,
    uniqueItems: true,
    description: 'FOLLOWED: IDs of projects. If empty, all projects that you can see.',
  }),
  environmentIds: {
    ...environmentIds,
    description: 'FOLLOWED: IDs of environments. If empty, all environments.',
  },
  events: Type.Array(Type.Enum(subscribableTypes, { description: 'Type of event.' }), {
    maxItems: subscribableTypes.length,
    uniqueItems: true,
    description: 'FOLLOWED: event types. If empty, all types.',
  }),
  minimumSeverity: { ...minimumSeverity, description: 'FOLLOWED: minimum severity. Defaults to INFO.' },
  quietHours: {
    ...quietHours,
    description:
      'Periods in which only CRITICAL notifications are sent. Others are sent as one mail when the period ends.',
  },
  digest: {
    ...digest,
    description:
      'Frequency of mails that combine non-critical notifications: at each full hour, or daily at 9:00. NONE: immediate delivery.',
  },
  timeZone,
}

export const NotificationSettings = Type.Object(
  {
    ...settings,
    isMailSetUp: Type.Boolean({
      description: 'Whether the operator has configured mail. Without it, no mail is sent.',
    }),
    disabledReason: Type.Optional({
      ...disabledReason,
      description: 'Reason why Sluice disabled mail: deliveries failed for 5 days.',
    }),
  },
  { ...closed, description: 'Mail notification settings of a member in an organization.' },
)
export type NotificationSettings = Static<typeof NotificationSettings>

export const UpdateNotificationSettings = Type.Partial(Type.Object(settings, closed), {
  ...closed,
  description: 'Notification settings to change.',
  examples: [{ topics: ['STARTED', 'APPROVALS'], digest: 'DAILY', timeZone: 'Europe/Berlin' }],
})
export type UpdateNotificationSettings = Static<typeof UpdateNotificationSettings>
