import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const properties = {
  id: Id,
  createdAt: UtcDateTime,
  updatedAt: UtcDateTime,
  organizationId: Id,
  name: Type.String({ description: 'Purpose of the key.' }),
  tokenHint: Type.String({ description: 'First characters of the token, to distinguish keys.' }),
  membershipId: Type.Optional(Type.String({ description: 'ID of the membership that the key authenticates.' })),
  serviceAccountId: Type.Optional(
    Type.String({ description: 'ID of the service account that the key authenticates.' }),
  ),
  expiresAt: Type.Optional(UtcDateTime),
  lastUsedAt: Type.Optional(UtcDateTime),
}

export const ApiKey = Type.Object(properties, {
  additionalProperties: false,
  description: 'Bearer token of a membership or a service account.',
})
export type ApiKey = Static<typeof ApiKey>

export const NewApiKey = Type.Object(
  { ...properties, token: Type.String({ description: 'Bearer token. Returned only once.' }) },
  { additionalProperties: false, description: 'New API key, including its token.' },
)
export type NewApiKey = Static<typeof NewApiKey>

export const CreateApiKey = Type.Object(
  {
    name: Name,
    expiresAt: Type.Optional(UtcDateTime),
    serviceAccountId: Type.Optional(
      Type.String({ ...Id, description: 'ID of the service account that the key is for. Defaults to the caller.' }),
    ),
  },
  { additionalProperties: false },
)
export type CreateApiKey = Static<typeof CreateApiKey>
