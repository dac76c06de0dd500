import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

export const Session = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    membershipId: Type.String({ description: 'ID of the membership.' }),
    isCurrent: Type.Boolean({ description: 'Whether the request was made with this session.' }),
    lastUsedAt: UtcDateTime,
    expiresAt: UtcDateTime,
    userAgent: Type.Optional(Type.String({ description: 'User agent of the browser.' })),
    ipAddress: Type.Optional(Type.String({ description: 'IP address of the sign-in.' })),
  },
  { additionalProperties: false, description: 'Browser session of a user.' },
)
export type Session = Static<typeof Session>
