import { type Static, Type } from 'typebox'
import { Name } from '../modules/naming.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

const ClientName = { ...Name, description: 'Name of the program and its host, shown to the user who decides.' }

export const StartDeviceSignIn = Type.Object(
  { clientName: ClientName },
  { ...closed, description: 'Request for authorization by a program that cannot display a sign-in page.' },
)
export type StartDeviceSignIn = Static<typeof StartDeviceSignIn>

/** Device authorization response (RFC 8628) in the naming convention of this API. */
export const DeviceSignInCodes = Type.Object(
  {
    deviceCode: Type.String({
      description: 'Code with which the program retrieves the token. It must be kept secret.',
    }),
    userCode: Type.String({
      description: 'Code that a signed-in user enters in the console.',
      examples: ['BCDF-GHJK'],
    }),
    verificationUri: Type.String({ description: 'URL of the page where the user enters the code.' }),
    verificationUriComplete: Type.String({ description: 'The same URL including the code.' }),
    expiresIn: Type.Integer({ description: 'Lifetime of both codes in seconds.' }),
    interval: Type.Integer({ description: 'Minimum number of seconds between attempts to retrieve the token.' }),
  },
  { ...closed, description: 'Codes of a device authorization: one for the program, one for the user.' },
)
export type DeviceSignInCodes = Static<typeof DeviceSignInCodes>

export const FinishDeviceSignIn = Type.Object(
  { deviceCode: Type.String({ minLength: 1, maxLength: 200, description: 'Device code of the program.' }) },
  closed,
)
export type FinishDeviceSignIn = Static<typeof FinishDeviceSignIn>

export const DeviceToken = Type.Object(
  {
    token: Type.String({ description: 'API key of the user who approved. Returned only once.' }),
    expiresAt: UtcDateTime,
  },
  { ...closed, description: 'Token of the authorized program.' },
)
export type DeviceToken = Static<typeof DeviceToken>

export const deviceDecisions = ['APPROVE', 'REJECT'] as const

export const DecideDeviceSignIn = Type.Object(
  {
    userCode: Type.String({
      pattern: '^[A-Za-z]{4}-?[A-Za-z]{4}$',
      title: 'eight letters',
      examples: ['BCDF-GHJK'],
      description: 'Code that the program displays.',
    }),
    decision: Type.Optional(
      Type.Enum(deviceDecisions, { description: 'Decision. If absent, only the request is returned.' }),
    ),
  },
  closed,
)
export type DecideDeviceSignIn = Static<typeof DecideDeviceSignIn>

export const deviceSignInStatuses = ['PENDING', 'APPROVED', 'REJECTED'] as const

export const DeviceSignIn = Type.Object(
  {
    clientName: Type.String({ description: ClientName.description }),
    ipAddress: Type.String({ description: 'IP address of the program.' }),
    createdAt: UtcDateTime,
    expiresAt: UtcDateTime,
    status: Type.Enum(deviceSignInStatuses, { description: 'Status of the authorization.' }),
  },
  { ...closed, description: 'Program that requests authorization.' },
)
export type DeviceSignIn = Static<typeof DeviceSignIn>
