import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { notificationTypes, severities } from './notification.ts'
import { EventPosition } from './notification-event.ts'

const closed = { additionalProperties: false } as const

/** Kinds of channels. */
export const channelKinds = ['WEBHOOK', 'SLACK', 'TEAMS', 'EMAIL', 'TEAM_MEMBERS', 'PAGERDUTY'] as const
export type ChannelKind = (typeof channelKinds)[number]

/** Payload formats of webhooks. */
export const channelFormats = ['STANDARD', 'CDEVENTS'] as const
export type ChannelFormat = (typeof channelFormats)[number]

const Recipients = Type.Array(
  Type.String({
    pattern: '^(mem_[0-9a-z]{26}|[^\\s@<>()",;:\\\\]{1,64}@[A-Za-z0-9.-]{1,189})$',
    description: 'ID of a membership, or an email address.',
  }),
  {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    description:
      'Recipients of an EMAIL channel. Members receive mail at their current address while they remain members.',
    examples: [['on-call@example.com']],
  },
)

const SigningSecret = Type.String({
  pattern: '^[A-Za-z0-9]{16,128}$',
  description: 'Signing secret from *Basic Information* of the Slack app.',
  examples: ['8f742231b10e8888abcd99yyyzzz85a5'],
})

/** Destination settings of a channel. The required fields depend on its kind. */
const destinationFields = {
  url: Type.String({
    pattern: '^https?://[^\\s/@]+(/\\S*)?$',
    maxLength: 2000,
    description:
      'HTTP or HTTPS URL without a password, on the public internet or on a network that the operator allows. SLACK and TEAMS: URL of an incoming webhook, which is secret and never returned. PAGERDUTY: only to replace the default URL.',
    examples: ['https://hooks.example.com/sluice'],
  }),
  routingKey: Type.String({
    pattern: '^[A-Za-z0-9]{32}$',
    description: 'PAGERDUTY: integration key of a service for Events API v2. Never returned.',
    examples: ['R0123456789ABCDEFGHIJKLMNOPQRSTU'],
  }),
  signingSecret: Type.Union([SigningSecret, Type.Null()], {
    description:
      'SLACK: signing secret of the Slack app that owns the webhook, which adds decision buttons to messages. null removes it. Never returned. Setting it requires the permission `memberships:write`, because the secret allows decisions on behalf of others.',
  }),
  recipients: Recipients,
  teamId: {
    ...Id,
    description:
      'TEAM_MEMBERS: ID of the team whose members are notified once each, by mail, according to their own settings and permissions.',
  },
  format: Type.Enum(channelFormats, {
    description:
      'WEBHOOK: payload format. STANDARD sends the payload of the delivery. CDEVENTS sends a CloudEvent with a CDEvent v0.4.1, for event types that CDEvents defines.',
  }),
}

export const weekdays = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const
export type Weekday = (typeof weekdays)[number]

const TimeOfDay = Type.String({
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  description: 'Time of day in the time zone of the channel.',
  examples: ['22:00'],
})

export const QuietPeriod = Type.Object(
  {
    from: { ...TimeOfDay, description: 'Start time in the time zone of the channel.' },
    until: {
      ...TimeOfDay,
      description: 'End time. If it is not later than `from`, it is on the next day; 00:00 to 00:00 is a whole day.',
      examples: ['07:00'],
    },
    days: Type.Array(Type.Enum(weekdays), {
      minItems: 1,
      maxItems: weekdays.length,
      uniqueItems: true,
      description: 'Days on which the period starts.',
    }),
  },
  { ...closed, description: 'Period in which only critical notifications are delivered.' },
)
export type QuietPeriod = Static<typeof QuietPeriod>

/** Frequencies of digests of non-critical notifications. */
export const digests = ['NONE', 'HOURLY', 'DAILY'] as const
export type Digest = (typeof digests)[number]

/** Timing of non-critical notifications. */
const timingFields = {
  quietHours: Type.Array(QuietPeriod, {
    maxItems: 7,
    description:
      'SLACK, TEAMS and EMAIL: periods in which only CRITICAL notifications are delivered. Others are delivered as one message when the period ends.',
    examples: [[{ from: '19:00', until: '08:00', days: ['MON', 'TUE', 'WED', 'THU', 'FRI'] }]],
  }),
  digest: Type.Enum(digests, {
    description:
      'SLACK, TEAMS and EMAIL: frequency of messages that combine non-critical notifications: at each full hour, or daily at 9:00. NONE: immediate delivery.',
  }),
  timeZone: Type.String({
    minLength: 1,
    maxLength: 50,
    description: 'IANA name of the time zone of `quietHours` and `digest`. Defaults to UTC.',
    examples: ['Europe/Berlin'],
  }),
}

const settings = {
  name: Name,
  events: Type.Array(Type.Enum(notificationTypes, { description: 'Type of event.' }), {
    maxItems: notificationTypes.length,
    uniqueItems: true,
    description:
      'Event types to deliver. If empty, all types except the audit log are delivered, including those added in later versions.',
    examples: [['deployment.paused', 'deployment.failed']],
  }),
  minimumSeverity: Type.Enum(severities, {
    description: 'Minimum severity. Defaults to INFO, which delivers everything that `events` names.',
  }),
  environmentIds: Type.Array(Id, {
    maxItems: 100,
    uniqueItems: true,
    description: 'IDs of the environments to include. If empty, all are included.',
  }),
  enabled: Type.Boolean({
    description: 'Whether the channel is enabled. Disabling it discards waiting notifications.',
  }),
  ...timingFields,
}

export const NotificationChannel = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: Type.Optional(Id),
    kind: Type.Enum(channelKinds, { description: 'Kind of the channel.' }),
    url: Type.Optional(
      Type.String({
        description: 'URL of a WEBHOOK or PAGERDUTY channel. For other kinds the URL is secret.',
      }),
    ),
    recipients: Type.Optional(Recipients),
    teamId: Type.Optional(destinationFields.teamId),
    format: Type.Optional(destinationFields.format),
    hasSigningSecret: Type.Optional(
      Type.Boolean({ description: 'SLACK: whether a signing secret is set, so that messages have buttons.' }),
    ),
    interactivityUrl: Type.Optional(
      Type.String({
        description: 'SLACK: *Request URL* to enter in *Interactivity & Shortcuts* of the Slack app.',
        examples: [
          'https://sluice.example.com/notification-channels/nch_01h455vb4pex5vsknk084sn02q/slack-interactions',
        ],
      }),
    ),
    ...settings,
    disabledReason: Type.Optional(
      Type.String({
        description:
          'Reason why Sluice disabled the channel: the receiver returned 410, or deliveries failed for 5 days.',
      }),
    ),
    failingSince: Type.Optional(UtcDateTime),
    brokenSince: Type.Optional({
      ...UtcDateTime,
      description:
        'Time since when the channel is considered broken: four attempts at a delivery failed in a row, or Sluice disabled the channel.',
    }),
    createdBy: Type.String({ description: 'Name of the user or service account that created the channel.' }),
  },
  { ...closed, description: "Destination of an organization's notifications." },
)
export type NotificationChannel = Static<typeof NotificationChannel>

export const NotificationChannelWithSecret = Type.Object(
  {
    ...NotificationChannel.properties,
    secret: Type.Optional(
      Type.String({ description: 'Secret with which requests to a WEBHOOK are signed. Returned only once.' }),
    ),
  },
  { ...closed, description: 'Channel with its new secret, if Sluice generates one for its kind.' },
)
export type NotificationChannelWithSecret = Static<typeof NotificationChannelWithSecret>

export const CreateNotificationChannel = Type.Object(
  {
    projectId: Type.Optional(Id),
    kind: Type.Optional(NotificationChannel.properties.kind),
    ...Type.Partial(Type.Object(destinationFields)).properties,
    ...settings,
    events: Type.Optional(settings.events),
    minimumSeverity: Type.Optional(settings.minimumSeverity),
    environmentIds: Type.Optional(settings.environmentIds),
    enabled: Type.Optional(settings.enabled),
    ...Type.Partial(Type.Object(timingFields)).properties,
  },
  {
    ...closed,
    description: 'Fields of a new channel for notifications of a project or of the whole organization.',
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

export const UpdateNotificationChannel = Type.Partial(Type.Object({ ...destinationFields, ...settings }, closed), {
  ...closed,
  description: 'Fields of a channel to change.',
  examples: [{ events: ['deployment.failed'], enabled: true }],
})
export type UpdateNotificationChannel = Static<typeof UpdateNotificationChannel>

export const ReplayNotificationChannel = Type.Object(
  { after: EventPosition },
  { ...closed, description: 'Position from which to replay events.', examples: [{ after: '4711' }] },
)
export type ReplayNotificationChannel = Static<typeof ReplayNotificationChannel>

/** Maximum number of events per replay request, which bounds its duration. */
export const maxReplayedEvents = 500

export const NotificationReplay = Type.Object(
  {
    deliveries: Type.Integer({ description: 'Number of deliveries created.' }),
    position: { ...EventPosition, description: 'Position up to which events were replayed.' },
    hasMore: Type.Boolean({
      description: 'Whether there are more events. Repeat the request with `after` set to this position.',
    }),
  },
  { ...closed, description: 'Result of a replay.' },
)
export type NotificationReplay = Static<typeof NotificationReplay>
