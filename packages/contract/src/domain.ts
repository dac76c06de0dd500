import { type Static, Type } from 'typebox'
import { HostName } from './certificate.ts'
import { Id } from './ids.ts'
import { Description } from './naming.ts'
import { UtcDateTime } from './time.ts'

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
