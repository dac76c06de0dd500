import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const

/** Planned action for a resource, regardless of the reason. `IMPORT` changes only the state. */
export const iacChangeTypes = ['CREATE', 'UPDATE', 'REPLACE', 'DELETE', 'READ', 'NO_OP', 'IMPORT', 'FORGET'] as const
export const IacChangeType = Type.Enum(iacChangeTypes, { description: 'Action of the run on the resource.' })
export type IacChangeType = Static<typeof IacChangeType>

/**
 * Reasons for a planned change, and its side effects. The names after BECAUSE and BY are the tools' own
 * `action_reason`; unknown reasons are omitted.
 */
export const iacChangeReasons = [
  'IMPORT',
  'MOVE',
  'FORGET',
  'DEPOSED',
  'GENERATED_CONFIG',
  'CREATE_BEFORE_DESTROY',
  'CHANGED_OUTSIDE',
  'REPLACE_BECAUSE_TAINTED',
  'REPLACE_BECAUSE_CANNOT_UPDATE',
  'REPLACE_BY_REQUEST',
  'REPLACE_BY_TRIGGERS',
  'DELETE_BECAUSE_NO_RESOURCE_CONFIG',
  'DELETE_BECAUSE_WRONG_REPETITION',
  'DELETE_BECAUSE_COUNT_INDEX',
  'DELETE_BECAUSE_EACH_KEY',
  'DELETE_BECAUSE_NO_MODULE',
  'DELETE_BECAUSE_NO_MOVE_TARGET',
  'DELETE_BECAUSE_ENABLED_FALSE',
  'FORGOT_BECAUSE_LIFECYCLE_DESTROY_IN_STATE',
  'FORGOT_BECAUSE_LIFECYCLE_DESTROY_IN_CONFIG',
  'READ_BECAUSE_CONFIG_UNKNOWN',
  'READ_BECAUSE_DEPENDENCY_PENDING',
  'READ_BECAUSE_CHECK_NESTED',
  'DEFERRED_BECAUSE_UNKNOWN',
  'DEFERRED_BECAUSE_INSTANCE_COUNT_UNKNOWN',
  'DEFERRED_BECAUSE_RESOURCE_CONFIG_UNKNOWN',
  'DEFERRED_BECAUSE_PROVIDER_CONFIG_UNKNOWN',
  'DEFERRED_BECAUSE_ABSENT_PREREQ',
  'DEFERRED_BECAUSE_DEFERRED_PREREQ',
] as const
export type IacChangeReason = (typeof iacChangeReasons)[number]

export const iacRunTypes = ['PLAN', 'APPLY', 'DESTROY', 'DRIFT'] as const
export type IacRunType = (typeof iacRunTypes)[number]

export const iacDriftStatuses = ['UNKNOWN', 'IN_SYNC', 'DRIFTED'] as const
export type IacDriftStatus = (typeof iacDriftStatuses)[number]

/** Tools that resources come from. */
export const iacVendors = ['IAC_TOOL'] as const

export const IacResourceAddress = Type.String({
  minLength: 1,
  maxLength: 4_000,
  description: 'Address of the resource in the configuration.',
  examples: ['module.network["a/b"].subnet.private[0]'],
})

export const IacChangeReasons = Type.Object(
  {
    reasons: Type.Array(Type.Enum(iacChangeReasons), {
      description: 'Reasons for the change, and additional effects such as an import or a move.',
    }),
    previousAddress: Type.Optional(Type.String({ description: 'Address before a move.' })),
    importId: Type.Optional(Type.String({ description: 'ID used for the import.' })),
    replacePaths: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Paths of the attributes that force a replacement.',
        examples: [['triggers_replace', 'network.0.subnet']],
      }),
    ),
  },
  { ...closed, description: 'Reasons why the run changes the resource. Empty if the tool reports none.' },
)
export type IacChangeReasons = Static<typeof IacChangeReasons>

/** Data that `include` can add to a resource. The schema of the resource itself is closed. */
export const changeReasonsIncluded = { 'change-reasons': IacChangeReasons } as const

// Fields that a resource shares with its change summary.
const identity = {
  address: Type.String({ description: 'Address of the resource in the configuration.' }),
  provider: Type.String({ description: 'Provider that manages the resource.' }),
  resourceName: Type.String({ description: 'Name of the resource in the configuration.' }),
  resourceType: Type.String({ description: 'Type of the resource.' }),
  indexKey: Type.Optional(Type.String({ description: 'Index of the resource: a number or a key.' })),
  moduleAddress: Type.Optional(Type.String({ description: 'Address of the module that contains the resource.' })),
}

export const IacResource = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    pipelineRunId: Id,
    stepExecutionId: Id,
    stackId: Id,
    ...identity,
    changeType: IacChangeType,
    runType: Type.Enum(iacRunTypes, { description: 'Purpose of the run.' }),
    driftStatus: Type.Enum(iacDriftStatuses, { description: 'Whether the resource still matches its configuration.' }),
    isInCurrentState: Type.Boolean({ description: "Whether the resource is in the stack's current state." }),
    tainted: Type.Boolean({ description: 'Whether the resource is tainted, so that the next run replaces it.' }),
    vendor: Type.Enum(iacVendors, { description: 'Tool that the resource comes from.' }),
    vendorData: Type.Object(
      { before: Type.Unknown(), after: Type.Unknown() },
      { ...closed, description: 'Attributes before and after the change. Sensitive values are masked.' },
    ),
    error: Type.Optional(UserFacingError),
  },
  { ...closed, description: 'Planned or applied change of one resource.' },
)
export type IacResource = Static<typeof IacResource>

export const IacRunReference = Type.Object(
  {
    id: Id,
    changeType: IacChangeType,
    description: Type.Optional(Type.String({ description: 'Description of the run.' })),
    failed: Type.Optional(Type.Boolean({ description: 'Whether the run failed.' })),
    startedAt: Type.Optional(UtcDateTime),
  },
  { ...closed, description: 'Pipeline run and its action on the resource.' },
)
export type IacRunReference = Static<typeof IacRunReference>

export const IacChangeSummary = Type.Object(
  {
    pipelineId: Id,
    ...identity,
    fromRun: IacRunReference,
    toRun: IacRunReference,
    runsInRange: Type.Integer({ minimum: 1, description: 'Number of runs in the range that changed the resource.' }),
  },
  {
    ...closed,
    description: 'Changes of a resource across the runs of a pipeline. Runs that only planned are ignored.',
  },
)
export type IacChangeSummary = Static<typeof IacChangeSummary>

/** Data that `include` can add to a change summary. */
export const changeReasonsOfRunsIncluded = {
  'change-reasons': Type.Object(
    { fromRun: IacChangeReasons, toRun: IacChangeReasons },
    { ...closed, description: 'Reasons why the first and the last run changed the resource.' },
  ),
} as const

export const IacExecutionSummary = Type.Object(
  {
    pipelineRunId: Id,
    totalCount: Type.Integer({ minimum: 0, description: 'Number of resources that the run evaluated.' }),
    failedCount: Type.Integer({ minimum: 0, description: 'Number of resources with an error.' }),
    changeCounts: Type.Object(
      Object.fromEntries(iacChangeTypes.map((type) => [type, Type.Integer({ minimum: 0 })])) as Record<
        IacChangeType,
        ReturnType<typeof Type.Integer>
      >,
      { ...closed, description: 'Number of resources per change type.' },
    ),
  },
  { ...closed, description: "Counts of a run's changes." },
)
export type IacExecutionSummary = Static<typeof IacExecutionSummary>
