import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { GivenId, Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { roles } from './permissions.ts'

/** Days during which a deletion can be cancelled. */
export const deletionGraceDays = 7

export const OrganizationDeletion = Type.Object(
  {
    requestedAt: UtcDateTime,
    requestedBy: Type.String({ description: 'Name of the user or service account that requested the deletion.' }),
    dueAt: UtcDateTime,
  },
  {
    additionalProperties: false,
    description: `Scheduled deletion of the organization and everything in it, starting at \`dueAt\`, ${deletionGraceDays} days after the request. Until then the organization is read-only, and an owner can cancel the deletion.`,
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
  description: 'Organization: the tenant that owns all other resources.',
})
export type Organization = Static<typeof Organization>

export const OwnOrganization = Type.Object(
  {
    ...organizationFields,
    membershipId: Type.String({ description: "ID of the caller's membership or service account in the organization." }),
    role: Type.Enum(roles, { description: 'Role of the caller in the organization.' }),
    isCurrent: Type.Boolean({ description: 'Whether the request acts in this organization.' }),
  },
  { additionalProperties: false, description: 'Organization that the caller belongs to.' },
)
export type OwnOrganization = Static<typeof OwnOrganization>

export const CreateOrganization = Type.Object({ name: Name }, { additionalProperties: false })
export type CreateOrganization = Static<typeof CreateOrganization>

export const DeleteOrganization = Type.Object(
  {
    name: Type.String({
      maxLength: 200,
      description: 'Exact name of the organization, to confirm the deletion.',
    }),
  },
  { additionalProperties: false },
)
export type DeleteOrganization = Static<typeof DeleteOrganization>

export const UpdateOrganization = Type.Object({ name: Type.Optional(Name) }, { additionalProperties: false })
export type UpdateOrganization = Static<typeof UpdateOrganization>
