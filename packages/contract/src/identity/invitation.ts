import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { MemberRole } from './membership.ts'
import { Email, NewPassword } from './sign-in.ts'

export const invitationStatuses = ['PENDING', 'ACCEPTED', 'EXPIRED'] as const

const properties = {
  id: Id,
  createdAt: UtcDateTime,
  updatedAt: UtcDateTime,
  organizationId: Id,
  email: Type.String({ description: 'Who is invited.' }),
  role: MemberRole,
  status: Type.Enum(invitationStatuses, { description: 'Whether it can still be accepted.' }),
  expiresAt: UtcDateTime,
  acceptedAt: Type.Optional(UtcDateTime),
  invitedById: Type.String({ description: 'The membership or the service account that invited.' }),
}

export const Invitation = Type.Object(properties, {
  additionalProperties: false,
  description: 'An offer to become a member of the organization.',
})
export type Invitation = Static<typeof Invitation>

export const NewInvitation = Type.Object(
  { ...properties, token: Type.String({ description: 'What the invitation is accepted with. Shown this once.' }) },
  { additionalProperties: false, description: 'An invitation with its token.' },
)
export type NewInvitation = Static<typeof NewInvitation>

export const CreateInvitation = Type.Object({ email: Email, role: MemberRole }, { additionalProperties: false })
export type CreateInvitation = Static<typeof CreateInvitation>

export const AcceptInvitation = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 200, description: "The invitation's token." }),
    fullName: Type.String({ ...Name, description: "The name of a new user; a known user's stays as it is." }),
    password: Type.String({ ...NewPassword, description: "A new user's password, or the one that the user has." }),
  },
  { additionalProperties: false },
)
export type AcceptInvitation = Static<typeof AcceptInvitation>
