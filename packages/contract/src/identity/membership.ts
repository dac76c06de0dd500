import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { roles } from './permissions.ts'

export const MemberRole = Type.Enum(roles, { description: 'Role in the organization.' })

export const Membership = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    userId: Id,
    role: MemberRole,
    email: Type.String({ description: 'Email address of the user.' }),
    fullName: Type.Optional(Type.String({ description: 'Full name of the user.' })),
    shortName: Type.Optional(Type.String({ description: 'Short name of the user.' })),
  },
  { additionalProperties: false, description: 'Membership of a user in an organization.' },
)
export type Membership = Static<typeof Membership>

export const UpdateMembership = Type.Object({ role: Type.Optional(MemberRole) }, { additionalProperties: false })
export type UpdateMembership = Static<typeof UpdateMembership>
