import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** Who somebody is at Slack, as Slack told it when they pressed a button. */
const person = {
  slackTeam: Type.String({ description: 'The workspace, by the id that Slack gives it.', examples: ['T0123456789'] }),
  slackTeamName: Type.Optional(Type.String({ description: 'The name of the workspace at that time.' })),
  slackUser: Type.String({
    description: 'The account there, by the id that Slack gives it.',
    examples: ['U0123456789'],
  }),
  slackUserName: Type.Optional(Type.String({ description: 'What the account was called at that time.' })),
}

export const SlackAccount = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    membershipId: { ...Id, description: 'Whose it is: what is decided with it, they decide.' },
    memberEmail: Type.String({ description: 'The address of that member.' }),
    ...person,
  },
  { ...closed, description: 'An account at Slack that is linked to a member, who decides with the buttons there.' },
)
export type SlackAccount = Static<typeof SlackAccount>

const token = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: 'What stands in the link that Slack showed to whoever pressed a button.',
})

export const LookAtSlackLink = Type.Object({ token }, { ...closed, description: 'A link that Slack showed.' })
export type LookAtSlackLink = Static<typeof LookAtSlackLink>

export const LinkSlackAccount = Type.Object({ token }, { ...closed, description: 'The account that is to be linked.' })
export type LinkSlackAccount = Static<typeof LinkSlackAccount>

export const SlackLink = Type.Object(
  { ...person, expiresAt: { ...UtcDateTime, description: 'Until when the link counts.' } },
  { ...closed, description: 'The account at Slack that a link is about.' },
)
export type SlackLink = Static<typeof SlackLink>

/** The form that Slack sends when somebody presses a button. It is looked at only once its signature is known. */
export const SlackInteraction = Type.Object(
  {},
  { additionalProperties: true, description: 'What Slack sends: a form with the field `payload`, which is JSON.' },
)
