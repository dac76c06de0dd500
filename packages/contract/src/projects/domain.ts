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
      description: 'Whether a certificate for it was issued in an account of the organization, which takes its DNS.',
    }),
    certificateIds: Type.Array(Id, { description: 'The certificates of the organization that name it.' }),
  },
  { ...closed, description: 'A name under which something in an environment is reached.' },
)
export type Domain = Static<typeof Domain>

export const CreateDomain = Type.Object(
  { environmentId: Id, name: HostName, description: Type.Optional(Description) },
  { ...closed, description: 'A new domain.' },
)
export type CreateDomain = Static<typeof CreateDomain>
