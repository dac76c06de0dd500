import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'

export const passwordSignIns = ['ALLOWED', 'BREAK_GLASS'] as const

const breakGlassMembershipId = Type.Optional(
  Type.String({ ...Id, description: 'The owner who signs in by password when the provider is away.' }),
)

export const SignInPolicy = Type.Object(
  {
    passwordSignIn: Type.Enum(passwordSignIns, {
      description: 'Who signs in by password: everybody who has one, or one owner alone.',
    }),
    breakGlassMembershipId,
  },
  { additionalProperties: false, description: 'How people sign in to the organization.' },
)
export type SignInPolicy = Static<typeof SignInPolicy>

export const UpdateSignInPolicy = Type.Object(
  { passwordSignIn: Type.Enum(passwordSignIns), breakGlassMembershipId },
  { additionalProperties: false },
)
export type UpdateSignInPolicy = Static<typeof UpdateSignInPolicy>

export const SignInMethods = Type.Object(
  {
    installationProvider: Type.Optional(Type.String({ description: 'The name of the provider for everybody.' })),
    note: Type.Optional(Type.String({ description: 'What the operator tells whoever signs in.' })),
  },
  { additionalProperties: false, description: 'How people may sign in here, beside their passwords.' },
)
export type SignInMethods = Static<typeof SignInMethods>

export const BeginSignIn = Type.Object(
  {
    email: Type.Optional(Type.String({ maxLength: 254, description: 'Whose provider is to be found, by its domain.' })),
    organization: Type.Optional(Type.String({ ...Id, description: 'The givenId of the organization instead.' })),
    returnTo: Type.Optional(
      Type.String({ maxLength: 2_000, description: 'The page to come back to.', examples: ['/'] }),
    ),
  },
  { additionalProperties: false, description: "Whose provider; without either, the installation's." },
)
export type BeginSignIn = Static<typeof BeginSignIn>

export const SignInLink = Type.Object(
  { url: Type.String({ description: 'Where the person goes next.' }) },
  { additionalProperties: false, description: "A page of the provider's." },
)

export const SignOutLink = Type.Object(
  { url: Type.Optional(Type.String({ description: "The provider's page that signs out there, where it has one." })) },
  { additionalProperties: false, description: 'Where to go after signing out here.' },
)
