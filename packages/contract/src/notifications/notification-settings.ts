import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { followedTypes } from './notification.ts'
import { NotificationChannel } from './notification-channel.ts'

const closed = { additionalProperties: false } as const

/** Why a person is written to. */
export const notificationTopics = ['STARTED', 'APPROVALS', 'CRITICAL', 'FOLLOWED'] as const
export type NotificationTopic = (typeof notificationTopics)[number]

/** What everybody is written to about who has not said otherwise. */
export const usualTopics = ['STARTED', 'APPROVALS', 'CRITICAL'] as const satisfies NotificationTopic[]

const { enabled, minimumSeverity, environmentIds, quietHours, digest, timeZone, disabledReason } =
  NotificationChannel.properties

const settings = {
  enabled: {
    ...enabled,
    description: 'Whether you are written to at all. What waits when it is switched off is given up.',
  },
  topics: Type.Array(Type.Enum(notificationTopics, { description: 'Why you are written to.' }), {
    maxItems: notificationTopics.length,
    uniqueItems: true,
    description:
      'STARTED: what you started fails, is rolled back, or waits for a person. APPROVALS: something waits for an ' +
      'approval that you may give. CRITICAL: whatever is CRITICAL, while you are an owner. FOLLOWED: what the four ' +
      'fields below name. The first three, unless said.',
  }),
  projectIds: Type.Array(Id, {
    maxItems: 100,
    uniqueItems: true,
    description: 'FOLLOWED: only what happens in these projects; in all that you see where it is empty.',
  }),
  environmentIds: {
    ...environmentIds,
    description: 'FOLLOWED: only what happens in these environments; in all where it is empty.',
  },
  events: Type.Array(Type.Enum(followedTypes, { description: 'What happens.' }), {
    maxItems: followedTypes.length,
    uniqueItems: true,
    description: 'FOLLOWED: what you are written to about; about everything where it is empty.',
  }),
  minimumSeverity: { ...minimumSeverity, description: 'FOLLOWED: how much it matters at least. INFO, unless said.' },
  quietHours: {
    ...quietHours,
    description: 'When only what is CRITICAL is told. All else waits, and comes as one mail when they end.',
  },
  digest: {
    ...digest,
    description: 'How often what is not CRITICAL is told, as one mail: at each full hour, or at 9:00. NONE: at once.',
  },
  timeZone,
}

export const NotificationSettings = Type.Object(
  {
    ...settings,
    isMailSetUp: Type.Boolean({ description: 'Whether the operator has set up mail: nobody is written to without.' }),
    disabledReason: Type.Optional({
      ...disabledReason,
      description: 'Why the service switched it off: no mail arrived for 5 days.',
    }),
  },
  { ...closed, description: 'What a member is written to about, by mail, in an organization.' },
)
export type NotificationSettings = Static<typeof NotificationSettings>

export const UpdateNotificationSettings = Type.Partial(Type.Object(settings, closed), {
  ...closed,
  description: 'What is to change about it.',
  examples: [{ topics: ['STARTED', 'APPROVALS'], digest: 'DAILY', timeZone: 'Europe/Berlin' }],
})
export type UpdateNotificationSettings = Static<typeof UpdateNotificationSettings>
