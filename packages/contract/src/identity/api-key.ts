import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const properties = {
  id: Id,
  createdAt: UtcDateTime,
  updatedAt: UtcDateTime,
  organizationId: Id,
  name: Type.String({ description: 'What the key is for.' }),
  tokenHint: Type.String({ description: 'How the token begins, to tell keys apart.' }),
  membershipId: Type.Optional(Type.String({ description: 'The membership that it acts for.' })),
  serviceAccountId: Type.Optional(Type.String({ description: 'The service account that it acts for.' })),
  expiresAt: Type.Optional(UtcDateTime),
  lastUsedAt: Type.Optional(UtcDateTime),
}

export const ApiKey = Type.Object(properties, {
  additionalProperties: false,
  description: 'A bearer token of a membership or of a service account.',
})
export type ApiKey = Static<typeof ApiKey>

export const NewApiKey = Type.Object(
  { ...properties, token: Type.String({ description: 'The bearer token itself. Shown this once.' }) },
  { additionalProperties: false, description: 'An API key with its token.' },
)
export type NewApiKey = Static<typeof NewApiKey>

export const CreateApiKey = Type.Object(
  {
    name: Name,
    expiresAt: Type.Optional(UtcDateTime),
    serviceAccountId: Type.Optional(Type.String({ ...Id, description: 'Without it, the key is for the caller.' })),
  },
  { additionalProperties: false },
)
export type CreateApiKey = Static<typeof CreateApiKey>
