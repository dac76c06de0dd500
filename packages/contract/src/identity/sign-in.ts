import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'

/** Header with the value `1`, which other sites cannot make a browser send. Required only with a session cookie. */
export const csrfHeader = 'x-sluice-csrf'

/** Email address, case-insensitive. */
export const Email = Type.String({
  maxLength: 254,
  pattern: '^[^\\s@]+@[^\\s@]+$',
  description: 'Email address, stored in lower case.',
  examples: ['ada@example.com'],
})

export const NewPassword = Type.String({
  minLength: 12,
  maxLength: 200,
  description: 'Password of 12 to 200 characters.',
  examples: ['correct horse battery staple'],
})

/** Password to verify. Length rules apply only to new passwords. */
export const Password = Type.String({ minLength: 1, maxLength: 200, description: 'Password.' })

export const Register = Type.Object(
  { email: Email, password: NewPassword, fullName: Name, organizationName: Name },
  { additionalProperties: false, description: 'New organization and its owner.' },
)
export type Register = Static<typeof Register>

/** Identical whether or not the email address was already registered. */
export const Registration = Type.Object(
  { email: Type.String(), organizationName: Type.String() },
  { additionalProperties: false, description: 'Result of the registration. Sign in to continue.' },
)
export type Registration = Static<typeof Registration>

export const SignIn = Type.Object(
  {
    email: Email,
    password: Password,
    organizationId: Type.Optional(
      Type.String({ ...Id, description: 'ID of the organization to sign in to. Defaults to the oldest one.' }),
    ),
  },
  { additionalProperties: false, description: 'Email address and password.' },
)
export type SignIn = Static<typeof SignIn>
