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
  email: Type.String({ description: 'Email address of the invited user.' }),
  role: MemberRole,
  status: Type.Enum(invitationStatuses, { description: 'Status of the invitation.' }),
  expiresAt: UtcDateTime,
  acceptedAt: Type.Optional(UtcDateTime),
  invitedById: Type.String({ description: 'ID of the membership or service account that sent the invitation.' }),
}

export const Invitation = Type.Object(properties, {
  additionalProperties: false,
  description: 'Invitation to become a member of the organization.',
})
export type Invitation = Static<typeof Invitation>

export const NewInvitation = Type.Object(
  {
    ...properties,
    token: Type.String({ description: 'Token with which the invitation is accepted. Returned only once.' }),
  },
  { additionalProperties: false, description: 'New invitation, including its token.' },
)
export type NewInvitation = Static<typeof NewInvitation>

export const CreateInvitation = Type.Object({ email: Email, role: MemberRole }, { additionalProperties: false })
export type CreateInvitation = Static<typeof CreateInvitation>

export const AcceptInvitation = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 200, description: 'Token of the invitation.' }),
    fullName: Type.String({
      ...Name,
      description: 'Full name of a new user. The name of an existing user stays unchanged.',
    }),
    password: Type.String({
      ...NewPassword,
      description: 'Password of a new user, or the current password of an existing user.',
    }),
  },
  { additionalProperties: false },
)
export type AcceptInvitation = Static<typeof AcceptInvitation>
