import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** Identity of a Slack user, as reported by Slack when the user pressed a button. */
const slackIdentity = {
  slackTeam: Type.String({ description: 'ID of the Slack workspace.', examples: ['T0123456789'] }),
  slackTeamName: Type.Optional(Type.String({ description: 'Name of the Slack workspace at that time.' })),
  slackUser: Type.String({
    description: 'ID of the Slack user.',
    examples: ['U0123456789'],
  }),
  slackUserName: Type.Optional(Type.String({ description: 'Name of the Slack user at that time.' })),
}

export const SlackAccount = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    membershipId: {
      ...Id,
      description: 'ID of the member on whose behalf decisions made with the Slack account count.',
    },
    memberEmail: Type.String({ description: 'Email address of the member.' }),
    ...slackIdentity,
  },
  { ...closed, description: 'Slack account linked to a member, who can make decisions with buttons in Slack.' },
)
export type SlackAccount = Static<typeof SlackAccount>

const token = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: 'Token from the link that Slack displayed after a button was pressed.',
})

export const PreviewSlackLink = Type.Object({ token }, { ...closed, description: 'Link that Slack displayed.' })
export type PreviewSlackLink = Static<typeof PreviewSlackLink>

export const LinkSlackAccount = Type.Object({ token }, { ...closed, description: 'Slack account to link.' })
export type LinkSlackAccount = Static<typeof LinkSlackAccount>

export const SlackLink = Type.Object(
  { ...slackIdentity, expiresAt: { ...UtcDateTime, description: 'Time when the link expires.' } },
  { ...closed, description: 'Slack account that the link refers to.' },
)
export type SlackLink = Static<typeof SlackLink>

/** Form that Slack sends when a user presses a button. It is parsed only after its signature is verified. */
export const SlackInteraction = Type.Object(
  {},
  { additionalProperties: true, description: "Slack's form with the field `payload`, which contains JSON." },
)
