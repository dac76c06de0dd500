import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { MemberRole } from './membership.ts'

export const ServiceAccount = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    name: Type.String({ description: 'Name, unique within the organization.' }),
    role: MemberRole,
  },
  { additionalProperties: false, description: 'Non-human principal that uses the API with its own API keys.' },
)
export type ServiceAccount = Static<typeof ServiceAccount>

export const CreateServiceAccount = Type.Object({ name: Name, role: MemberRole }, { additionalProperties: false })
export type CreateServiceAccount = Static<typeof CreateServiceAccount>

export const UpdateServiceAccount = Type.Object(
  { name: Type.Optional(Name), role: Type.Optional(MemberRole) },
  { additionalProperties: false },
)
export type UpdateServiceAccount = Static<typeof UpdateServiceAccount>
