import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

export const Session = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    membershipId: Type.String({ description: 'Whose it is.' }),
    isCurrent: Type.Boolean({ description: 'Whether this request was made with it.' }),
    lastUsedAt: UtcDateTime,
    expiresAt: UtcDateTime,
    userAgent: Type.Optional(Type.String({ description: 'The browser, as it calls itself.' })),
    ipAddress: Type.Optional(Type.String({ description: 'Where the sign-in came from.' })),
  },
  { additionalProperties: false, description: 'A sign-in of a person with a browser.' },
)
export type Session = Static<typeof Session>
