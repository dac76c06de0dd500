import { type Static, Type } from 'typebox'
import { FreeFormObject } from '../values/free-form.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const

/** What is sent of a log at once, at most. Characters. */
export const longestPiece = 128 * 1024

/** A piece of the log. Sent again, it is stored once. */
export const LogPiece = Type.Object(
  {
    sequence: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
    /** Whole lines, masked. */
    text: Type.String({ maxLength: longestPiece }),
    /** How far the sources of the log are stored with it, so that a runner goes on there. Bytes. */
    offsets: Type.Record(Type.String({ maxLength: 128 }), Type.Integer({ minimum: 0 })),
  },
  closed,
)
export type LogPiece = Static<typeof LogPiece>

/** How far an attempt is, as people see it. */
export const ProgressReport = Type.Object({ detail: FreeFormObject }, closed)
export type ProgressReport = Static<typeof ProgressReport>

/** A part of an output that is not stored: see `toStorableValue`. */
const OmittedValue = Type.Object({ path: Type.String(), reason: Type.String() }, closed)

/** How an attempt of a step ended. */
export const Outcome = Type.Union([
  Type.Object(
    {
      status: Type.Literal('SUCCESS'),
      output: Type.Optional(FreeFormObject),
      /** What was left out of the output, and of what the attempt reported before. */
      omittedValues: Type.Optional(Type.Array(OmittedValue)),
    },
    closed,
  ),
  Type.Object({ status: Type.Literal('ERROR'), error: UserFacingError }, closed),
  Type.Object({ status: Type.Literal('CANCELLED') }, closed),
])
export type Outcome = Static<typeof Outcome>

/** The end of an attempt, with what is left of its log. Sent again, it changes nothing. */
export const Settlement = Type.Object(
  {
    outcome: Outcome,
    log: Type.Array(LogPiece, { maxItems: 16 }),
    /** Whether the runner goes on with the step after it: see `mayGoOn` of what it was given. */
    goesOn: Type.Optional(Type.Boolean()),
  },
  closed,
)
export type Settlement = Static<typeof Settlement>

/** Where a repository may be fetched from: good for an hour or so. */
export type SourceAccess = {
  url: string
  /** What the environment of git must say for it. */
  environment: Record<string, string>
  /** Where its host is, so that it is called there and nowhere else; empty where any place will do. */
  addresses: string[]
  secrets: string[]
}

/** Credentials of a session in a cloud account. */
export type CloudSession = {
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string
  /** RFC 3339. */
  expiration: string
}
