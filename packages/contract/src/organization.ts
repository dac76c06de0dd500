import { type Static, Type } from 'typebox'
import { GivenId, Id } from './ids.ts'
import { Name } from './naming.ts'
import { UtcDateTime } from './time.ts'

export const Organization = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    givenId: GivenId,
    name: Type.String({ description: 'Display name.' }),
  },
  { additionalProperties: false, description: 'A tenant: it owns everything else.' },
)
export type Organization = Static<typeof Organization>

export const UpdateOrganization = Type.Object({ name: Type.Optional(Name) }, { additionalProperties: false })
export type UpdateOrganization = Static<typeof UpdateOrganization>
