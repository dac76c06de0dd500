import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

/** Whose signatures are believed. Without TLS only on this machine, where developers try things out. */
export const IssuerUrl = Type.String({
  maxLength: 300,
  pattern: '^(https://[^\\s?#@]+|http://(127\\.0\\.0\\.1|localhost)(:\\d+)?(/[^\\s?#@]*)?)$',
  description: 'The issuer, exactly as its tokens name it in `iss`.',
  examples: ['https://token.actions.githubusercontent.com'],
})

/** What a claim must be. */
const claimPattern = (what: string) =>
  Type.String({
    minLength: 1,
    maxLength: 500,
    description:
      `${what} must be this text. A \`*\` between \`/\` and \`:\` stands for one part; at the end, for all that ` +
      'follows. Before the first `*` stands a `/`.',
    examples: ['repo:acme/web-shop:ref:refs/heads/main'],
  })

const properties = {
  serviceAccountId: Type.String({ ...Id, description: 'Who is signed in.' }),
  name: Name,
  issuer: IssuerUrl,
  audience: Type.String({
    minLength: 1,
    maxLength: 300,
    description: 'What `aud` must hold.',
    examples: ['https://sluice.example.com'],
  }),
  subject: claimPattern('`sub`'),
  claims: Type.Record(Type.String({ pattern: '^[\\w:/.-]{1,100}$' }), claimPattern('The claim'), {
    additionalProperties: false,
    description: 'What further claims must be.',
    maxProperties: 20,
    default: {},
    examples: [{ environment: 'production' }],
  }),
  tokenLifetimeSeconds: Type.Integer({
    minimum: 900,
    maximum: 3_600,
    default: 900,
    description: 'How long the token lives that is given for one of the issuer.',
  }),
}

export const ServiceAccountTrust = Type.Object(
  { id: Id, createdAt: UtcDateTime, updatedAt: UtcDateTime, organizationId: Id, ...properties },
  { additionalProperties: false, description: 'Whose tokens sign a service account in, without a stored secret.' },
)
export type ServiceAccountTrust = Static<typeof ServiceAccountTrust>

export const CreateServiceAccountTrust = Type.Object(
  {
    ...properties,
    claims: Type.Optional(properties.claims),
    tokenLifetimeSeconds: Type.Optional(properties.tokenLifetimeSeconds),
  },
  { additionalProperties: false },
)
export type CreateServiceAccountTrust = Static<typeof CreateServiceAccountTrust>

export const ExchangeIdToken = Type.Object(
  {
    serviceAccountId: Type.String({ ...Id, description: 'Who is to be signed in.' }),
    idToken: Type.String({ minLength: 1, maxLength: 16_000, description: "The issuer's token, a signed JWT." }),
  },
  { additionalProperties: false, description: 'A token of an issuer that the service account trusts.' },
)
export type ExchangeIdToken = Static<typeof ExchangeIdToken>

export const ExchangedToken = Type.Object(
  {
    serviceAccountId: Id,
    token: Type.String({ description: 'The bearer token. Shown this once.' }),
    expiresAt: UtcDateTime,
  },
  { additionalProperties: false, description: 'A bearer token that ends soon.' },
)
export type ExchangedToken = Static<typeof ExchangedToken>
