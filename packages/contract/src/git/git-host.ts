import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

const record = { id: Id, createdAt: UtcDateTime, updatedAt: UtcDateTime, organizationId: Id }

const AccessLost = Type.Boolean({ description: 'Whether the git host did not let us in any more.' })

export const GithostaInstallation = Type.Object(
  {
    ...record,
    githostaInstallationId: Type.String({ description: "The git host's own id of the installation." }),
    accountName: Type.String({ description: 'The account at the git host that our app is installed in.' }),
    accessLost: AccessLost,
  },
  { ...closed, description: 'An installation of our app at the first git host that the organization may use.' },
)
export type GithostaInstallation = Static<typeof GithostaInstallation>

export const GithostbInstance = Type.Object(
  {
    ...record,
    baseUrl: Type.String({ description: 'Where people see it.' }),
    clientId: Type.String({ description: 'The id of our application there.' }),
    callbackUrl: Type.String({ description: 'The redirect address that the application there must have.' }),
  },
  { ...closed, description: 'An instance of the second git host that the organization hosts itself.' },
)
export type GithostbInstance = Static<typeof GithostbInstance>

export const CreateGithostbInstance = Type.Object(
  {
    baseUrl: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Where people see it, without a path: https://git.example.com.',
      examples: ['https://git.example.com'],
    }),
    clientId: Type.String({ minLength: 1, maxLength: 500, description: 'The id of our application there.' }),
    clientSecret: Type.String({ minLength: 1, maxLength: 500, description: 'Its secret; it is never shown again.' }),
  },
  { ...closed, description: 'An instance to register.' },
)
export type CreateGithostbInstance = Static<typeof CreateGithostbInstance>

export const GithostbConnection = Type.Object(
  {
    ...record,
    baseUrl: Type.String({ description: 'The git host that it is a connection to.' }),
    githostbInstanceId: Type.Optional(Id),
    userName: Type.String({ description: 'The person at the git host on whose behalf repositories are read.' }),
    accessLost: AccessLost,
  },
  { ...closed, description: 'Access to the second git host that a person allowed.' },
)
export type GithostbConnection = Static<typeof GithostbConnection>

const ReturnUrl = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 500,
    description:
      'Where the person is sent afterwards: a page of this service or of an allowed origin. Without it, its front page.',
    examples: ['/'],
  }),
)

export const ClaimInstallation = Type.Object(
  { returnUrl: ReturnUrl },
  { ...closed, description: 'Where to go once an installation was chosen.' },
)
export type ClaimInstallation = Static<typeof ClaimInstallation>

export const ConnectGitHostB = Type.Object(
  { githostbInstanceId: Type.Optional(Id), returnUrl: ReturnUrl },
  { ...closed, description: 'Which instance to connect, if not the hosted one, and where to go afterwards.' },
)
export type ConnectGitHostB = Static<typeof ConnectGitHostB>

export const GitHostLink = Type.Object(
  {
    url: Type.String({
      description:
        'For a browser. At the git host it is good for ten minutes, once, and in the session that asked for it; who asks with an API key gets a page of the console, where the same person goes on once they are signed in.',
    }),
  },
  { ...closed, description: 'Where the person goes on.' },
)
export type GitHostLink = Static<typeof GitHostLink>

export const WebhookSecret = Type.Object(
  {
    url: Type.String({ description: 'Where the git host sends what happens.' }),
    secret: Type.String({ description: 'What it proves itself with; it is never shown again.' }),
  },
  { ...closed, description: 'What a webhook at the git host is made with; the secret before is no longer taken.' },
)
export type WebhookSecret = Static<typeof WebhookSecret>

export const WebhookReceipt = Type.Object(
  { accepted: Type.Literal(true) },
  { ...closed, description: 'The delivery is stored and will be looked at.' },
)
export type WebhookReceipt = Static<typeof WebhookReceipt>
