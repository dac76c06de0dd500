import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { roles } from './permissions.ts'

export const MemberRole = Type.Enum(roles, { description: 'What it may do in the organization.' })

export const Membership = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    userId: Id,
    role: MemberRole,
    email: Type.String({ description: "The user's address." }),
    fullName: Type.Optional(Type.String({ description: "The user's name." })),
    shortName: Type.Optional(Type.String({ description: "A short form of the user's name." })),
  },
  { additionalProperties: false, description: 'A user within an organization.' },
)
export type Membership = Static<typeof Membership>

export const UpdateMembership = Type.Object({ role: Type.Optional(MemberRole) }, { additionalProperties: false })
export type UpdateMembership = Static<typeof UpdateMembership>
