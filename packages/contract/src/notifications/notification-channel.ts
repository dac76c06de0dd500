import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { notificationTypes, severities } from './notification.ts'
import { EventPosition } from './notification-event.ts'

const closed = { additionalProperties: false } as const

/** How channels are reached. */
export const channelKinds = ['WEBHOOK', 'SLACK', 'TEAMS', 'EMAIL', 'TEAM_MEMBERS', 'PAGERDUTY'] as const
export type ChannelKind = (typeof channelKinds)[number]

/** What webhooks are told in. */
export const channelFormats = ['STANDARD', 'CDEVENTS'] as const
export type ChannelFormat = (typeof channelFormats)[number]

const Recipients = Type.Array(
  Type.String({
    pattern: '^(mem_[0-9a-z]{26}|[^\\s@<>()",;:\\\\]{1,64}@[A-Za-z0-9.-]{1,189})$',
    description: 'The id of a membership, or an address.',
  }),
  {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    description:
      'EMAIL: whom it is sent to. Members are written to as long as they are, wherever their mail goes then.',
    examples: [['on-call@example.com']],
  },
)

const SigningSecret = Type.String({
  pattern: '^[A-Za-z0-9]{16,128}$',
  description: 'As Slack shows it below *Basic Information* of the app.',
  examples: ['8f742231b10e8888abcd99yyyzzz85a5'],
})

/** What leads to a channel; which of it is needed depends on its kind. */
const reach = {
  url: Type.String({
    pattern: '^https?://[^\\s/@]+(/\\S*)?$',
    maxLength: 2000,
    description:
      'Where it is sent to, by https or http; on the public internet, or where the operator allows. No password. SLACK ' +
      'and TEAMS: the address of an incoming webhook, which is a secret and never shown. PAGERDUTY: only where it is another than the usual one.',
    examples: ['https://hooks.example.com/sluice'],
  }),
  routingKey: Type.String({
    pattern: '^[A-Za-z0-9]{32}$',
    description: 'PAGERDUTY: the integration key of a service there, for Events API v2. It is never shown.',
    examples: ['R0123456789ABCDEFGHIJKLMNOPQRSTU'],
  }),
  signingSecret: Type.Union([SigningSecret, Type.Null()], {
    description:
      'SLACK: the signing secret of the Slack app whose webhook it is, so that messages have buttons to decide with; null: none ' +
      'any more. It is never shown. Setting one takes the permission `memberships:write`: who knows it can press for others.',
  }),
  recipients: Recipients,
  teamId: {
    ...Id,
    description:
      'TEAM_MEMBERS: the team whose members are told, each by mail as their own settings say, of what they see, and once.',
  },
  format: Type.Enum(channelFormats, {
    description:
      'WEBHOOK: what it is told in. STANDARD is the payload as a delivery has it; CDEVENTS a CloudEvent with a CDEvent of ' +
      'v0.4.1, and nothing but what that has a type for.',
  }),
}

export const weekdays = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const
export type Weekday = (typeof weekdays)[number]

const TimeOfDay = Type.String({
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  description: 'By the clocks of the time zone.',
  examples: ['22:00'],
})

export const QuietPeriod = Type.Object(
  {
    from: { ...TimeOfDay, description: 'When it begins, by the clocks of the time zone.' },
    until: {
      ...TimeOfDay,
      description:
        'When it ends: on the next day where that is not later than `from`, so that 00:00 to 00:00 is a day.',
      examples: ['07:00'],
    },
    days: Type.Array(Type.Enum(weekdays), {
      minItems: 1,
      maxItems: weekdays.length,
      uniqueItems: true,
      description: 'The days on which it begins.',
    }),
  },
  { ...closed, description: 'Hours in which only what cannot wait is told.' },
)
export type QuietPeriod = Static<typeof QuietPeriod>

/** How often what can wait is told, as one message. */
export const digests = ['NONE', 'HOURLY', 'DAILY'] as const
export type Digest = (typeof digests)[number]

/** When people want to be told of what can wait. */
const rhythm = {
  quietHours: Type.Array(QuietPeriod, {
    maxItems: 7,
    description:
      'SLACK, TEAMS and EMAIL: when only what is CRITICAL is told. All else waits, and comes as one message when they end.',
    examples: [[{ from: '19:00', until: '08:00', days: ['MON', 'TUE', 'WED', 'THU', 'FRI'] }]],
  }),
  digest: Type.Enum(digests, {
    description:
      'SLACK, TEAMS and EMAIL: how often what is not CRITICAL is told, as one message: at each full hour, or at 9:00. NONE: at once.',
  }),
  timeZone: Type.String({
    minLength: 1,
    maxLength: 50,
    description: 'The IANA name of the time zone that `quietHours` and `digest` are in. UTC, unless said.',
    examples: ['Europe/Berlin'],
  }),
}

const settings = {
  name: Name,
  events: Type.Array(Type.Enum(notificationTypes, { description: 'What happens.' }), {
    maxItems: notificationTypes.length,
    uniqueItems: true,
    description:
      'What it is told of; where it is empty, of everything but the audit log, also of what later versions add.',
    examples: [['deployment.paused', 'deployment.failed']],
  }),
  minimumSeverity: Type.Enum(severities, {
    description: 'How much what it is told of matters at least. INFO, unless said: of everything that `events` names.',
  }),
  environmentIds: Type.Array(Id, {
    maxItems: 100,
    uniqueItems: true,
    description: 'Only what happens in these environments; of all where it is empty.',
  }),
  enabled: Type.Boolean({ description: 'Whether it is told anything. What waits when it is disabled is given up.' }),
  ...rhythm,
}

export const NotificationChannel = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: Type.Optional(Id),
    kind: Type.Enum(channelKinds, { description: 'How it is reached.' }),
    url: Type.Optional(
      Type.String({
        description: 'Where it is sent to, for WEBHOOK and PAGERDUTY; of the others the address is a secret.',
      }),
    ),
    recipients: Type.Optional(Recipients),
    teamId: Type.Optional(reach.teamId),
    format: Type.Optional(reach.format),
    hasSigningSecret: Type.Optional(
      Type.Boolean({ description: 'SLACK: whether its messages have buttons, whose presses Slack signs.' }),
    ),
    interactivityUrl: Type.Optional(
      Type.String({
        description: 'SLACK: the *Request URL* to enter below *Interactivity & Shortcuts* of the Slack app.',
        examples: [
          'https://sluice.example.com/notification-channels/nch_01h455vb4pex5vsknk084sn02q/slack-interactions',
        ],
      }),
    ),
    ...settings,
    disabledReason: Type.Optional(
      Type.String({ description: 'Why the service disabled it: it said so itself (410), or failed for 5 days.' }),
    ),
    failingSince: Type.Optional(UtcDateTime),
    brokenSince: Type.Optional({
      ...UtcDateTime,
      description:
        'Since when it counts as broken: the fourth attempt in a row at something failed, or the service disabled it.',
    }),
    createdBy: Type.String({ description: 'Who made it.' }),
  },
  { ...closed, description: 'Where an organization is told what happens.' },
)
export type NotificationChannel = Static<typeof NotificationChannel>

export const NotificationChannelWithSecret = Type.Object(
  {
    ...NotificationChannel.properties,
    secret: Type.Optional(
      Type.String({ description: 'What requests to a WEBHOOK are signed with. It is shown this once.' }),
    ),
  },
  { ...closed, description: 'A channel with its new secret, where it has one of ours.' },
)
export type NotificationChannelWithSecret = Static<typeof NotificationChannelWithSecret>

export const CreateNotificationChannel = Type.Object(
  {
    projectId: Type.Optional(Id),
    kind: Type.Optional(NotificationChannel.properties.kind),
    ...Type.Partial(Type.Object(reach)).properties,
    ...settings,
    events: Type.Optional(settings.events),
    minimumSeverity: Type.Optional(settings.minimumSeverity),
    environmentIds: Type.Optional(settings.environmentIds),
    enabled: Type.Optional(settings.enabled),
    ...Type.Partial(Type.Object(rhythm)).properties,
  },
  {
    ...closed,
    description: 'A new channel, for what happens in a project, or in the organization.',
    examples: [
      {
        name: 'Our program',
        url: 'https://hooks.example.com/sluice',
        events: ['deployment.paused', 'deployment.failed'],
      },
    ],
  },
)
export type CreateNotificationChannel = Static<typeof CreateNotificationChannel>

export const UpdateNotificationChannel = Type.Partial(Type.Object({ ...reach, ...settings }, closed), {
  ...closed,
  description: 'What is to change about a channel.',
  examples: [{ events: ['deployment.failed'], enabled: true }],
})
export type UpdateNotificationChannel = Static<typeof UpdateNotificationChannel>

export const ReplayNotificationChannel = Type.Object(
  { after: EventPosition },
  { ...closed, description: 'From where on a channel is told again.', examples: [{ after: '4711' }] },
)
export type ReplayNotificationChannel = Static<typeof ReplayNotificationChannel>

/** Events that one request looks through, so that it ends soon. */
export const mostReplayed = 500

export const NotificationReplay = Type.Object(
  {
    deliveries: Type.Integer({ description: 'How many deliveries were made.' }),
    position: { ...EventPosition, description: 'Up to here it is told again.' },
    hasMore: Type.Boolean({ description: 'Whether there is more: ask again, `after` this position.' }),
  },
  { ...closed, description: 'What a channel is told again.' },
)
export type NotificationReplay = Static<typeof NotificationReplay>
