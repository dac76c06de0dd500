import { type Static, Type } from 'typebox'
import { HostName } from '../cloud/certificate.ts'
import { Description } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const Domain = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: Id,
    environmentId: Id,
    name: HostName,
    description: Type.Optional(Description),
    isVerified: Type.Boolean({
      description:
        'Whether a certificate for the domain was issued in a cloud account of the organization, which proves control of its DNS.',
    }),
    certificateIds: Type.Array(Id, { description: "IDs of the organization's certificates that include the domain." }),
  },
  { ...closed, description: 'Domain name of an environment.' },
)
export type Domain = Static<typeof Domain>

export const CreateDomain = Type.Object(
  { environmentId: Id, name: HostName, description: Type.Optional(Description) },
  { ...closed, description: 'Fields of a new domain.' },
)
export type CreateDomain = Static<typeof CreateDomain>
