import { type Static, Type } from 'typebox'
import type { OmittedValue } from '../json/storable-value.ts'
import type { FreeFormObject } from '../values/free-form.ts'
import { maxSensitiveVariables, maxVariableName } from './constants.ts'

const closed = { additionalProperties: false } as const

/** Warning of the tool during planning. */
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

/** Input variables that a configuration declares as sensitive or ephemeral, reported before the tool starts. */
export const SensitiveVariables = Type.Object(
  { names: Type.Array(Type.String({ maxLength: maxVariableName }), { maxItems: maxSensitiveVariables }) },
  closed,
)
export type SensitiveVariables = Static<typeof SensitiveVariables>

/** Plan created by a runner. The API parses its contents. */
export const PlanReport = Type.Object(
  {
    tool: Type.Enum(['tofu', 'terraform']),
    toolVersion: Type.String({ maxLength: 64 }),
    /** Commit that the ref resolved to. */
    commit: Type.Optional(Type.String({ maxLength: 64 })),
    configDigest: Type.String({ maxLength: 128 }),
    /** State before the plan. */
    before: Type.Union([
      Type.Null(),
      Type.Object({ lineage: Type.String({ maxLength: 256 }), serial: Type.Integer({ minimum: 0 }) }, closed),
    ]),
    lockFile: Type.Optional(Type.String()),
    /** Plan file in base64. */
    file: Type.String(),
    /** Distinct warnings. Absent in requests from older runners. */
    warnings: Type.Optional(Type.Array(ReportedWarning, { maxItems: 1_000 })),
    /** Plan in the tool's JSON format. */
    plan: Type.Unknown(),
  },
  closed,
)
export type PlanReport = Static<typeof PlanReport>

/** Contents that the API read from a plan. */
export type PlanReportResponse = {
  output: FreeFormObject
  /** Texts that the plan marks as sensitive. */
  secrets: string[]
  /** Number of resources, in total and per change type. */
  total: number
  changes: Record<string, number>
  /** Values of the plan that are not stored. Absent in responses from older servers. */
  omittedValues?: OmittedValue[]
}

export const AcquirePlan = Type.Object(
  {
    /** Whether the same attempt has requested the plan before, so that it may already have it. */
    isAgain: Type.Boolean(),
    /** Digest of the configuration files to apply. It must match the plan. */
    configDigest: Type.String({ maxLength: 128 }),
  },
  closed,
)
export type AcquirePlan = Static<typeof AcquirePlan>

/** Plan that the attempt can apply. */
export type AcquirePlanResponse = { total: number; changes: Record<string, number> }

/** Result of applying a plan. */
export const AppliedReport = Type.Object(
  {
    hasSucceeded: Type.Boolean(),
    /** Whether the tool rejected the plan as stale. */
    isStale: Type.Boolean(),
    /** Events of single resources, as reported by the tool. */
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
    /** State that the tool could not upload, in base64. */
    leftover: Type.Optional(Type.String()),
    /** State from the configuration's own backend, in base64. */
    pulled: Type.Optional(Type.String()),
    /**
     * State in the tool's JSON format. Absent if the apply failed, if the state is too large, and in requests from
     * older runners.
     */
    shownState: Type.Optional(Type.Unknown()),
  },
  closed,
)
export type AppliedReport = Static<typeof AppliedReport>

export type ApplyReportResponse = {
  output: FreeFormObject
  /** Texts that outputs mark as sensitive. */
  secrets: string[]
  /** Log message about the leftover state. */
  said?: string | undefined
  /** Outputs and attributes that are not stored. Absent in responses from older servers. */
  omittedValues?: OmittedValue[]
}
