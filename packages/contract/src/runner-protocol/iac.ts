import { type Static, Type } from 'typebox'
import type { OmittedValue } from '../json/storable-value.ts'
import type { FreeFormObject } from '../values/free-form.ts'

const closed = { additionalProperties: false } as const

/** A warning that the tool issued while it planned. */
export const ReportedWarning = Type.Object(
  {
    summary: Type.String({ maxLength: 4_100 }),
    detail: Type.Optional(Type.String({ maxLength: 4_100 })),
    address: Type.Optional(Type.String({ maxLength: 500 })),
    file: Type.Optional(Type.String({ maxLength: 500 })),
    line: Type.Optional(Type.Integer()),
  },
  closed,
)
export type ReportedWarning = Static<typeof ReportedWarning>

/** A plan that a runner has made. What is in it is for the API to read. */
export const PlanReport = Type.Object(
  {
    tool: Type.Enum(['tofu', 'terraform']),
    toolVersion: Type.String({ maxLength: 64 }),
    /** The commit that the ref stood for. */
    commit: Type.Optional(Type.String({ maxLength: 64 })),
    configDigest: Type.String({ maxLength: 128 }),
    /** The state that was there before. */
    before: Type.Union([
      Type.Null(),
      Type.Object({ lineage: Type.String({ maxLength: 256 }), serial: Type.Integer({ minimum: 0 }) }, closed),
    ]),
    lockFile: Type.Optional(Type.String()),
    /** The plan file in base64. */
    file: Type.String(),
    /** Each distinct warning once; absent from runners of earlier versions. */
    warnings: Type.Optional(Type.Array(ReportedWarning, { maxItems: 1_000 })),
    /** The plan as the tool shows it in JSON. */
    plan: Type.Unknown(),
  },
  closed,
)
export type PlanReport = Static<typeof PlanReport>

/** What the API has read in a plan. */
export type PlanRead = {
  output: FreeFormObject
  /** Texts that it marks as sensitive. */
  secrets: string[]
  /** How many resources it names, and how many of each change type. */
  total: number
  changes: Record<string, number>
  /** Values of the plan that are not stored; absent from a server that is older than the runner. */
  omittedValues?: OmittedValue[]
}

export const TakePlan = Type.Object(
  {
    /** Whether this very attempt has asked before: it may have the plan already. */
    isAgain: Type.Boolean(),
    /** Of the files that it would be applied with: they must be those that it was made of. */
    configDigest: Type.String({ maxLength: 128 }),
  },
  closed,
)
export type TakePlan = Static<typeof TakePlan>

/** The plan is the attempt's to apply. */
export type PlanTaken = { total: number; changes: Record<string, number> }

/** How applying a plan ended. */
export const AppliedReport = Type.Object(
  {
    hasSucceeded: Type.Boolean(),
    /** Whether the tool refused the plan as one of an older state. */
    isStale: Type.Boolean(),
    /** What the tool said of single resources. */
    events: Type.Array(
      Type.Union([
        Type.Object({ kind: Type.Literal('done'), address: Type.String() }, closed),
        Type.Object(
          {
            kind: Type.Literal('error'),
            address: Type.Optional(Type.String()),
            summary: Type.String(),
            detail: Type.String(),
          },
          closed,
        ),
      ]),
    ),
    /** A state that the tool could not hand in, in base64. */
    leftover: Type.Optional(Type.String()),
    /** The state as the configuration's own backend has it, in base64. */
    pulled: Type.Optional(Type.String()),
    /**
     * The state as the tool shows it in JSON. Absent if the apply failed, if the state is too large, and from runners
     * of earlier versions.
     */
    shownState: Type.Optional(Type.Unknown()),
  },
  closed,
)
export type AppliedReport = Static<typeof AppliedReport>

export type AppliedRead = {
  output: FreeFormObject
  /** Texts that the outputs mark as sensitive. */
  secrets: string[]
  /** What became of a state that was left over, for the log. */
  said?: string | undefined
  /** Outputs and attributes that are not stored; absent from a server that is older than the runner. */
  omittedValues?: OmittedValue[]
}
