import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

/** Issuer whose signatures are trusted. HTTP without TLS is allowed only for localhost, for development. */
export const IssuerUrl = Type.String({
  maxLength: 300,
  pattern: '^(https://[^\\s?#@]+|http://(127\\.0\\.0\\.1|localhost)(:\\d+)?(/[^\\s?#@]*)?)$',
  description: 'Issuer URL, exactly as in the `iss` claim of its tokens.',
  examples: ['https://token.actions.githubusercontent.com'],
})

/** Returns the schema of a claim's expected value. */
const claimPattern = (what: string) =>
  Type.String({
    minLength: 1,
    maxLength: 500,
    description: `${what} must equal this text. A \`*\` matches one segment between \`/\` and \`:\`; at the end, everything that follows. A \`/\` must precede the first \`*\`.`,
    examples: ['repo:acme/web-shop:ref:refs/heads/main'],
  })

const properties = {
  serviceAccountId: Type.String({ ...Id, description: 'ID of the service account that is authenticated.' }),
  name: Name,
  issuer: IssuerUrl,
  audience: Type.String({
    minLength: 1,
    maxLength: 300,
    description: 'Value that `aud` must contain.',
    examples: ['https://sluice.example.com'],
  }),
  subject: claimPattern('`sub`'),
  claims: Type.Record(Type.String({ pattern: '^[\\w:/.-]{1,100}$' }), claimPattern('The claim'), {
    additionalProperties: false,
    description: 'Expected values of further claims.',
    maxProperties: 20,
    default: {},
    examples: [{ environment: 'production' }],
  }),
  tokenLifetimeSeconds: Type.Integer({
    minimum: 900,
    maximum: 3_600,
    default: 900,
    description: 'Lifetime of the issued token in seconds.',
  }),
}

export const ServiceAccountTrust = Type.Object(
  { id: Id, createdAt: UtcDateTime, updatedAt: UtcDateTime, organizationId: Id, ...properties },
  {
    additionalProperties: false,
    description: 'Trust in an issuer whose tokens authenticate a service account without a stored secret.',
  },
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
    serviceAccountId: Type.String({ ...Id, description: 'ID of the service account to authenticate.' }),
    idToken: Type.String({ minLength: 1, maxLength: 16_000, description: 'ID token of the issuer, a signed JWT.' }),
  },
  { additionalProperties: false, description: 'ID token of an issuer that the service account trusts.' },
)
export type ExchangeIdToken = Static<typeof ExchangeIdToken>

export const ExchangedToken = Type.Object(
  {
    serviceAccountId: Id,
    token: Type.String({ description: 'Bearer token. Returned only once.' }),
    expiresAt: UtcDateTime,
  },
  { additionalProperties: false, description: 'Short-lived bearer token.' },
)
export type ExchangedToken = Static<typeof ExchangedToken>
