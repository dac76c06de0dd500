import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

const ClientName = { ...Name, description: 'What asks for it, and where that runs, for the person who decides.' }

export const StartDeviceSignIn = Type.Object(
  { clientName: ClientName },
  { ...closed, description: 'A program that cannot show a sign-in page asks to be signed in.' },
)
export type StartDeviceSignIn = Static<typeof StartDeviceSignIn>

/** As RFC 8628 has it, in the spelling of this interface. */
export const DeviceSignInCodes = Type.Object(
  {
    deviceCode: Type.String({ description: 'What the program takes the token with. It shows this to nobody.' }),
    userCode: Type.String({
      description: 'What a person who is signed in enters in the console.',
      examples: ['BCDF-GHJK'],
    }),
    verificationUri: Type.String({ description: 'Where it is entered.' }),
    verificationUriComplete: Type.String({ description: 'The same, with the code filled in.' }),
    expiresIn: Type.Integer({ description: 'Seconds for which both codes count.' }),
    interval: Type.Integer({ description: 'Seconds between two attempts to take the token.' }),
  },
  { ...closed, description: 'Two codes: one for the program, one for the person.' },
)
export type DeviceSignInCodes = Static<typeof DeviceSignInCodes>

export const FinishDeviceSignIn = Type.Object(
  { deviceCode: Type.String({ minLength: 1, maxLength: 200, description: 'As it was given to the program.' }) },
  closed,
)
export type FinishDeviceSignIn = Static<typeof FinishDeviceSignIn>

export const DeviceToken = Type.Object(
  {
    token: Type.String({ description: 'An API key of the person who said yes. Shown this once.' }),
    expiresAt: UtcDateTime,
  },
  { ...closed, description: 'What the program calls with from now on.' },
)
export type DeviceToken = Static<typeof DeviceToken>

export const deviceDecisions = ['APPROVE', 'REJECT'] as const

export const DecideDeviceSignIn = Type.Object(
  {
    userCode: Type.String({
      pattern: '^[A-Za-z]{4}-?[A-Za-z]{4}$',
      title: 'eight letters',
      examples: ['BCDF-GHJK'],
      description: 'As the program shows it.',
    }),
    decision: Type.Optional(
      Type.Enum(deviceDecisions, { description: 'Absent: nothing is decided, and it is only shown who asks.' }),
    ),
  },
  closed,
)
export type DecideDeviceSignIn = Static<typeof DecideDeviceSignIn>

export const deviceSignInStatuses = ['PENDING', 'APPROVED', 'REJECTED'] as const

export const DeviceSignIn = Type.Object(
  {
    clientName: Type.String({ description: ClientName.description }),
    ipAddress: Type.String({ description: 'Where it asks from.' }),
    createdAt: UtcDateTime,
    expiresAt: UtcDateTime,
    status: Type.Enum(deviceSignInStatuses, { description: 'What was decided.' }),
  },
  { ...closed, description: 'A program that asks to be signed in.' },
)
export type DeviceSignIn = Static<typeof DeviceSignIn>
