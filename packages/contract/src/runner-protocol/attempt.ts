import { type Static, Type } from 'typebox'
import { FreeFormObject } from '../values/free-form.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const

/** Maximum length of a log chunk in characters. */
export const maxChunkLength = 128 * 1024

/** Log chunk. A repeated chunk is stored once. */
export const LogChunk = Type.Object(
  {
    sequence: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
    /** Complete lines with masked secrets. */
    text: Type.String({ maxLength: maxChunkLength }),
    /** Position in each source of the log in bytes, stored with the chunk so that a runner can resume. */
    offsets: Type.Record(Type.String({ maxLength: 128 }), Type.Integer({ minimum: 0 })),
  },
  closed,
)
export type LogChunk = Static<typeof LogChunk>

/** Progress of an attempt, as displayed to users. */
export const ProgressReport = Type.Object({ detail: FreeFormObject }, closed)
export type ProgressReport = Static<typeof ProgressReport>

/** Part of an output that is not stored: see `toStorableValue`. */
const OmittedValue = Type.Object({ path: Type.String(), reason: Type.String() }, closed)

/** Result of a step attempt. */
export const Outcome = Type.Union([
  Type.Object(
    {
      status: Type.Literal('SUCCESS'),
      output: Type.Optional(FreeFormObject),
      /** Parts that were omitted from the output and from earlier reports of the attempt. */
      omittedValues: Type.Optional(Type.Array(OmittedValue)),
    },
    closed,
  ),
  Type.Object({ status: Type.Literal('ERROR'), error: UserFacingError }, closed),
  Type.Object({ status: Type.Literal('CANCELLED') }, closed),
])
export type Outcome = Static<typeof Outcome>

/** End of an attempt with the rest of its log. A repeated request changes nothing. */
export const CompleteAttempt = Type.Object(
  {
    outcome: Outcome,
    log: Type.Array(LogChunk, { maxItems: 16 }),
    /** Whether the runner wants to continue with the next step: see `mayGoOn` in the assignment. */
    goesOn: Type.Optional(Type.Boolean()),
  },
  closed,
)
export type CompleteAttempt = Static<typeof CompleteAttempt>

/** Credentials for a repository, valid for about an hour. */
export type SourceAccess = {
  url: string
  /** Environment variables for git. */
  environment: Record<string, string>
  /** IP addresses of the git host, to which connections are restricted. Empty if there is no restriction. */
  addresses: string[]
  secrets: string[]
}

/** Session credentials for a cloud account. */
export type CloudSession = {
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string
  /** RFC 3339 time. */
  expiration: string
}
