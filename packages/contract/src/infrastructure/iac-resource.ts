import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { UserFacingError } from '../values/user-facing-error.ts'

const closed = { additionalProperties: false } as const

/** The action that is planned for a resource, whatever the reason. `IMPORT` changes nothing but the state. */
export const iacChangeTypes = ['CREATE', 'UPDATE', 'REPLACE', 'DELETE', 'READ', 'NO_OP', 'IMPORT', 'FORGET'] as const
export const IacChangeType = Type.Enum(iacChangeTypes, { description: 'What the run does with the resource.' })
export type IacChangeType = Static<typeof IacChangeType>

/**
 * Why a plan changes a resource, and what it does beside the change. The names after BECAUSE and BY are the tools' own
 * `action_reason`; one that is not listed is served as none.
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

/** Which tool a resource comes from. */
export const iacVendors = ['IAC_TOOL'] as const

export const IacResourceAddress = Type.String({
  minLength: 1,
  maxLength: 4_000,
  description: 'Where the resource stands in the configuration.',
  examples: ['module.network["a/b"].subnet.private[0]'],
})

export const IacChangeReasons = Type.Object(
  {
    reasons: Type.Array(Type.Enum(iacChangeReasons), {
      description: 'Why it is changed, and what happens beside the change, such as an import or a move.',
    }),
    previousAddress: Type.Optional(Type.String({ description: 'The address before a move.' })),
    importId: Type.Optional(Type.String({ description: 'The ID that it is imported by.' })),
    replacePaths: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The attributes that require a replacement.',
        examples: [['triggers_replace', 'network.0.subnet']],
      }),
    ),
  },
  { ...closed, description: 'Why the run changes the resource; without reasons where the tool gives none.' },
)
export type IacChangeReasons = Static<typeof IacChangeReasons>

/** What can be requested beside a resource: its closed object has no place for it. */
export const changeReasonsIncluded = { 'change-reasons': IacChangeReasons } as const

// What a resource and its change summary both tell of it.
const identity = {
  address: Type.String({ description: 'Where the resource stands in the configuration.' }),
  provider: Type.String({ description: 'The plug-in that manages it.' }),
  resourceName: Type.String({ description: 'Its name in the configuration.' }),
  resourceType: Type.String({ description: 'What it is.' }),
  indexKey: Type.Optional(Type.String({ description: 'Which one of several it is: a number or a key.' })),
  moduleAddress: Type.Optional(Type.String({ description: 'The module of the configuration that it stands in.' })),
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
    runType: Type.Enum(iacRunTypes, { description: 'What the run was for.' }),
    driftStatus: Type.Enum(iacDriftStatuses, { description: 'Whether the world still is as configured.' }),
    isInCurrentState: Type.Boolean({ description: 'Whether the stack has it now.' }),
    tainted: Type.Boolean({ description: 'Whether the next run replaces it.' }),
    vendor: Type.Enum(iacVendors, { description: 'The tool that it comes from.' }),
    vendorData: Type.Object(
      { before: Type.Unknown(), after: Type.Unknown() },
      { ...closed, description: 'Its attributes before and after, sensitive ones masked.' },
    ),
    error: Type.Optional(UserFacingError),
  },
  { ...closed, description: 'What a run planned or did with one resource.' },
)
export type IacResource = Static<typeof IacResource>

export const IacRunReference = Type.Object(
  {
    id: Id,
    changeType: IacChangeType,
    description: Type.Optional(Type.String({ description: 'What the run was about.' })),
    failed: Type.Optional(Type.Boolean({ description: 'Whether the run failed.' })),
    startedAt: Type.Optional(UtcDateTime),
  },
  { ...closed, description: 'A pipeline run, and what it did with the resource.' },
)
export type IacRunReference = Static<typeof IacRunReference>

export const IacChangeSummary = Type.Object(
  {
    pipelineId: Id,
    ...identity,
    fromRun: IacRunReference,
    toRun: IacRunReference,
    runsInRange: Type.Integer({ minimum: 1, description: 'How many runs in the range changed the resource.' }),
  },
  {
    ...closed,
    description: 'How a resource changed across the runs of a pipeline; those that only planned have changed nothing.',
  },
)
export type IacChangeSummary = Static<typeof IacChangeSummary>

/** What can be requested beside a change summary. */
export const changeReasonsOfRunsIncluded = {
  'change-reasons': Type.Object(
    { fromRun: IacChangeReasons, toRun: IacChangeReasons },
    { ...closed, description: 'Why the first and the last run changed the resource.' },
  ),
} as const

export const IacExecutionSummary = Type.Object(
  {
    pipelineRunId: Id,
    totalCount: Type.Integer({ minimum: 0, description: 'How many resources the run looked at.' }),
    failedCount: Type.Integer({ minimum: 0, description: 'How many of them have an error.' }),
    changeCounts: Type.Object(
      Object.fromEntries(iacChangeTypes.map((type) => [type, Type.Integer({ minimum: 0 })])) as Record<
        IacChangeType,
        ReturnType<typeof Type.Integer>
      >,
      { ...closed, description: 'How many resources have each change type.' },
    ),
  },
  { ...closed, description: 'What a run does, in numbers.' },
)
export type IacExecutionSummary = Static<typeof IacExecutionSummary>
