import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { GivenId, Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { roles } from './permissions.ts'

/** So long a deletion can be taken back. */
export const deletionGraceDays = 7

export const OrganizationDeletion = Type.Object(
  {
    requestedAt: UtcDateTime,
    requestedBy: Type.String({ description: 'Who asked for it, by name.' }),
    dueAt: UtcDateTime,
  },
  {
    additionalProperties: false,
    description: `The organization is to be deleted: from \`dueAt\` on, ${deletionGraceDays} days after it was asked for, with everything in it. Until then it can be read, nothing in it is changed, and an owner can take the deletion back.`,
  },
)
export type OrganizationDeletion = Static<typeof OrganizationDeletion>

const organizationFields = {
  id: Id,
  createdAt: UtcDateTime,
  updatedAt: UtcDateTime,
  givenId: GivenId,
  name: Type.String({ description: 'Display name.' }),
  deletion: Type.Optional(OrganizationDeletion),
}

export const Organization = Type.Object(organizationFields, {
  additionalProperties: false,
  description: 'A tenant: it owns everything else.',
})
export type Organization = Static<typeof Organization>

export const OwnOrganization = Type.Object(
  {
    ...organizationFields,
    membershipId: Type.String({ description: 'As which member, or service account, you are in it.' }),
    role: Type.Enum(roles, { description: 'Your role in it.' }),
    isCurrent: Type.Boolean({ description: 'Whether this request acts in it.' }),
  },
  { additionalProperties: false, description: 'An organization that you are in.' },
)
export type OwnOrganization = Static<typeof OwnOrganization>

export const CreateOrganization = Type.Object({ name: Name }, { additionalProperties: false })
export type CreateOrganization = Static<typeof CreateOrganization>

export const DeleteOrganization = Type.Object(
  {
    name: Type.String({
      maxLength: 200,
      description: 'The name of the organization, letter by letter: this confirms it.',
    }),
  },
  { additionalProperties: false },
)
export type DeleteOrganization = Static<typeof DeleteOrganization>

export const UpdateOrganization = Type.Object({ name: Type.Optional(Name) }, { additionalProperties: false })
export type UpdateOrganization = Static<typeof UpdateOrganization>
