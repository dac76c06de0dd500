import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'

export const passwordSignIns = ['ALLOWED', 'BREAK_GLASS'] as const

const breakGlassMembershipId = Type.Optional(
  Type.String({
    ...Id,
    description: 'ID of the membership of the owner who can sign in with a password if the provider is unavailable.',
  }),
)

export const SignInPolicy = Type.Object(
  {
    passwordSignIn: Type.Enum(passwordSignIns, {
      description: 'Users who can sign in with a password: everyone who has one, or a single owner.',
    }),
    breakGlassMembershipId,
  },
  { additionalProperties: false, description: 'Sign-in policy of the organization.' },
)
export type SignInPolicy = Static<typeof SignInPolicy>

export const UpdateSignInPolicy = Type.Object(
  { passwordSignIn: Type.Enum(passwordSignIns), breakGlassMembershipId },
  { additionalProperties: false },
)
export type UpdateSignInPolicy = Static<typeof UpdateSignInPolicy>

export const SignInMethods = Type.Object(
  {
    installationProvider: Type.Optional(
      Type.String({ description: 'Name of the installation-wide identity provider.' }),
    ),
    note: Type.Optional(Type.String({ description: 'Message from the operator to users who sign in.' })),
  },
  { additionalProperties: false, description: 'Sign-in methods available besides passwords.' },
)
export type SignInMethods = Static<typeof SignInMethods>

export const BeginSignIn = Type.Object(
  {
    email: Type.Optional(
      Type.String({ maxLength: 254, description: 'Email address whose domain determines the provider.' }),
    ),
    organization: Type.Optional(
      Type.String({ ...Id, description: '`givenId` of the organization, as an alternative to the email address.' }),
    ),
    returnTo: Type.Optional(
      Type.String({ maxLength: 2_000, description: 'Page to return to after sign-in.', examples: ['/'] }),
    ),
  },
  {
    additionalProperties: false,
    description: 'Selects the identity provider. Defaults to the provider of the installation.',
  },
)
export type BeginSignIn = Static<typeof BeginSignIn>

export const SignInLink = Type.Object(
  { url: Type.String({ description: 'URL to redirect the user to.' }) },
  { additionalProperties: false, description: 'Sign-in page of the provider.' },
)

export const SignOutLink = Type.Object(
  { url: Type.Optional(Type.String({ description: 'Sign-out page of the provider, if it has one.' })) },
  { additionalProperties: false, description: 'Page to redirect the user to after signing out of Sluice.' },
)
