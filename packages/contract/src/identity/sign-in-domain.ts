import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

export const DomainName = Type.String({
  maxLength: 253,
  pattern: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$',
  description: 'The part of email addresses behind the @, in lower case.',
  examples: ['example.com'],
})

export const signInDomainStatuses = ['PENDING', 'VERIFIED'] as const

export const SignInDomain = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    domain: DomainName,
    status: Type.Enum(signInDomainStatuses, { description: 'Whether the organization has proven that it is its own.' }),
    recordName: Type.String({ description: 'The DNS record, of the type TXT, that proves it.' }),
    recordValue: Type.String({ description: 'What the record must hold.' }),
    verifiedAt: Type.Optional(UtcDateTime),
  },
  { additionalProperties: false, description: 'A domain whose addresses belong to the organization.' },
)
export type SignInDomain = Static<typeof SignInDomain>

export const CreateSignInDomain = Type.Object({ domain: DomainName }, { additionalProperties: false })
export type CreateSignInDomain = Static<typeof CreateSignInDomain>
