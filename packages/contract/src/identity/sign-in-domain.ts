import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

export const DomainName = Type.String({
  maxLength: 253,
  pattern: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$',
  description: 'Domain of email addresses, in lower case.',
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
    status: Type.Enum(signInDomainStatuses, {
      description: 'Whether the organization has proven that it controls the domain.',
    }),
    recordName: Type.String({ description: 'Name of the TXT record that proves control of the domain.' }),
    recordValue: Type.String({ description: 'Required value of the record.' }),
    verifiedAt: Type.Optional(UtcDateTime),
  },
  { additionalProperties: false, description: 'Email domain that belongs to the organization.' },
)
export type SignInDomain = Static<typeof SignInDomain>

export const CreateSignInDomain = Type.Object({ domain: DomainName }, { additionalProperties: false })
export type CreateSignInDomain = Static<typeof CreateSignInDomain>
