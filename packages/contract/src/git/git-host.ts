import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

const record = { id: Id, createdAt: UtcDateTime, updatedAt: UtcDateTime, organizationId: Id }

const AccessLost = Type.Boolean({ description: 'Whether Sluice has lost access to the git host.' })

export const GithostaInstallation = Type.Object(
  {
    ...record,
    githostaInstallationId: Type.String({ description: 'Installation ID at the git host.' }),
    accountName: Type.String({ description: 'Account at the git host in which the app is installed.' }),
    accessLost: AccessLost,
  },
  { ...closed, description: "Installation of Sluice's app at the first git host that the organization can use." },
)
export type GithostaInstallation = Static<typeof GithostaInstallation>

export const GithostbInstance = Type.Object(
  {
    ...record,
    baseUrl: Type.String({ description: 'URL of the instance.' }),
    clientId: Type.String({ description: "ID of Sluice's application at the instance." }),
    callbackUrl: Type.String({ description: 'Redirect URL to register for the application.' }),
  },
  { ...closed, description: 'Self-hosted instance of the second git host.' },
)
export type GithostbInstance = Static<typeof GithostbInstance>

export const CreateGithostbInstance = Type.Object(
  {
    baseUrl: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'URL of the instance without a path: https://git.example.com.',
      examples: ['https://git.example.com'],
    }),
    clientId: Type.String({ minLength: 1, maxLength: 500, description: "ID of Sluice's application at the instance." }),
    clientSecret: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Secret of the application. Never returned.',
    }),
  },
  { ...closed, description: 'Fields of a new instance.' },
)
export type CreateGithostbInstance = Static<typeof CreateGithostbInstance>

export const GithostbConnection = Type.Object(
  {
    ...record,
    baseUrl: Type.String({ description: 'URL of the git host.' }),
    githostbInstanceId: Type.Optional(Id),
    userName: Type.String({ description: 'User at the git host on whose behalf repositories are read.' }),
    accessLost: AccessLost,
  },
  { ...closed, description: 'Authorized connection to the second git host.' },
)
export type GithostbConnection = Static<typeof GithostbConnection>

const ReturnUrl = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 500,
    description:
      'URL to which the user is redirected afterwards: a page of Sluice or of an allowed origin. Defaults to the start page.',
    examples: ['/'],
  }),
)

export const ClaimInstallation = Type.Object(
  { returnUrl: ReturnUrl },
  { ...closed, description: 'Options for claiming an installation.' },
)
export type ClaimInstallation = Static<typeof ClaimInstallation>

export const ConnectGitHostB = Type.Object(
  { githostbInstanceId: Type.Optional(Id), returnUrl: ReturnUrl },
  { ...closed, description: 'Instance to connect, and the page to return to. Defaults to the hosted instance.' },
)
export type ConnectGitHostB = Static<typeof ConnectGitHostB>

export const GitHostLink = Type.Object(
  {
    url: Type.String({
      description:
        'URL to open in a browser. A URL at the git host is valid for ten minutes, once, in the session that requested it. A request with an API key gets a page of the console, where the same user continues after signing in.',
    }),
  },
  { ...closed, description: 'URL at which the user continues.' },
)
export type GitHostLink = Static<typeof GitHostLink>

export const WebhookSecret = Type.Object(
  {
    url: Type.String({ description: 'URL to which the git host sends webhooks.' }),
    secret: Type.String({ description: 'Secret of the webhook. Returned only once.' }),
  },
  { ...closed, description: 'Settings of the webhook at the git host. The previous secret becomes invalid.' },
)
export type WebhookSecret = Static<typeof WebhookSecret>

export const WebhookReceipt = Type.Object(
  { accepted: Type.Literal(true) },
  { ...closed, description: 'Receipt of a webhook that was stored for processing.' },
)
export type WebhookReceipt = Static<typeof WebhookReceipt>
