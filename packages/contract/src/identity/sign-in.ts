import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { Id } from '../values/ids.ts'

/** With `1` it tells a request of ours from one that another site had the browser make. Needed beside a cookie only. */
export const csrfHeader = 'x-sluice-csrf'

/** An email address. Upper and lower case are the same. */
export const Email = Type.String({
  maxLength: 254,
  pattern: '^[^\\s@]+@[^\\s@]+$',
  description: 'An email address; kept in lower case.',
  examples: ['ada@example.com'],
})

export const NewPassword = Type.String({
  minLength: 12,
  maxLength: 200,
  description: 'A password of 12 to 200 characters.',
  examples: ['correct horse battery staple'],
})

/** A password to be compared: what it should look like is nobody's business here. */
export const Password = Type.String({ minLength: 1, maxLength: 200, description: 'The password.' })

export const Register = Type.Object(
  { email: Email, password: NewPassword, fullName: Name, organizationName: Name },
  { additionalProperties: false, description: 'A new organization and its owner.' },
)
export type Register = Static<typeof Register>

/** Says the same whether the email was new or not. */
export const Registration = Type.Object(
  { email: Type.String(), organizationName: Type.String() },
  { additionalProperties: false, description: 'What was registered. Sign in with it.' },
)
export type Registration = Static<typeof Registration>

export const SignIn = Type.Object(
  {
    email: Email,
    password: Password,
    organizationId: Type.Optional(
      Type.String({ ...Id, description: 'Which of your organizations; the oldest without.' }),
    ),
  },
  { additionalProperties: false, description: 'An email with its password.' },
)
export type SignIn = Static<typeof SignIn>
