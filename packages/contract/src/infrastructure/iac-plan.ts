import { type Static, Type } from 'typebox'
import { PolicyVerdict } from '../gates/policy.ts'
import { FreeFormObject } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { IacChangeType, iacChangeReasons, iacChangeTypes } from './iac-resource.ts'
import { PlanCost } from './price-list.ts'

const closed = { additionalProperties: false } as const
const count = Type.Integer({ minimum: 0 })

export const iacPlanKinds = ['PLAN', 'DESTROY', 'DRIFT'] as const

/** A `PLANNED` plan can be applied. All statuses after `APPLYING` are final. */
export const iacPlanStatuses = ['PLANNED', 'APPLYING', 'APPLIED', 'FAILED', 'REJECTED', 'STALE'] as const

const changeCounts = Type.Object(Object.fromEntries(iacChangeTypes.map((type) => [type, count])), {
  ...closed,
  description: 'Number of resources per change type.',
})

export const PlanTypeCount = Type.Object(
  {
    resourceType: Type.String({ description: 'Type of the resources.', examples: ['aws_instance'] }),
    changeCounts: Type.Partial(changeCounts, {
      description: 'Number of these resources per change type. Zero counts are omitted.',
    }),
  },
  { ...closed, description: 'Changes of a plan to resources of one type.' },
)
export type PlanTypeCount = Static<typeof PlanTypeCount>

export const PlanWarning = Type.Object(
  {
    summary: Type.String({ description: 'Summary of the warning.', examples: ['Check block assertion failed'] }),
    detail: Type.Optional(Type.String({ description: 'Full text of the warning. Long texts are truncated.' })),
    address: Type.Optional(Type.String({ description: 'Address of the resource that the warning concerns.' })),
    file: Type.Optional(Type.String({ description: "File path, relative to the configuration's directory." })),
    line: Type.Optional(Type.Integer({ description: 'Line number in the file.' })),
  },
  { ...closed, description: 'Warning issued during planning.' },
)
export type PlanWarning = Static<typeof PlanWarning>

export const PlanOutputChange = Type.Object(
  {
    name: Type.String({ description: 'Name of the output.' }),
    changeType: IacChangeType,
    before: Type.Optional(Type.Unknown({ description: 'Value before. Absent if there was none.' })),
    after: Type.Optional(Type.Unknown({ description: 'Value after. Absent if there is none.' })),
  },
  { ...closed, description: 'Change of an output. Sensitive values are hidden, and long values are truncated.' },
)
export type PlanOutputChange = Static<typeof PlanOutputChange>

export const PlanMove = Type.Object(
  {
    address: Type.String({ description: 'New address.' }),
    previousAddress: Type.String({ description: 'Previous address.' }),
    changeType: IacChangeType,
  },
  { ...closed, description: 'Resource that moves to another address. `NO_OP` if nothing else changes.' },
)
export type PlanMove = Static<typeof PlanMove>

/** Information for approvers besides the resources of a plan. Lists contain the first entries; counts are complete. */
export const planReview = {
  reasonCounts: Type.Partial(Type.Object(Object.fromEntries(iacChangeReasons.map((reason) => [reason, count]))), {
    ...closed,
    description: 'Number of resources changed for each reason. Zero counts are omitted.',
  }),
  warnings: Type.Array(PlanWarning, { description: 'First 50 warnings.' }),
  warningCount: Type.Integer({ minimum: 0, description: 'Total number of warnings.' }),
  outputChanges: Type.Array(PlanOutputChange, { description: 'First 100 changed outputs, by name.' }),
  outputChangeCount: Type.Integer({ minimum: 0, description: 'Total number of changed outputs.' }),
  moves: Type.Array(PlanMove, { description: 'First 100 moved resources, by address.' }),
} as const

/** Maximum number of entries stored with a plan, per list. */
export const maxReviewed = { warnings: 50, outputChanges: 100, moves: 100 } as const

export const IacPlan = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    stackId: Id,
    stackWorkspaceId: Type.Optional(Id),
    pipelineRunId: Id,
    stepExecutionId: Id,
    kind: Type.Enum(iacPlanKinds, { description: 'Purpose of the plan.' }),
    status: Type.Enum(iacPlanStatuses, { description: 'Status of the plan.' }),
    hasChanges: Type.Boolean({ description: 'Whether applying the plan changes anything.' }),
    changeCounts,
    typeCounts: Type.Optional(
      Type.Array(PlanTypeCount, {
        description:
          'Number of changes per resource type, for the 100 types with the most changes, most changes first.',
      }),
    ),
    review: Type.Optional(
      Type.Object(planReview, {
        ...closed,
        description:
          'Information for approvers besides the resources. Absent for plans from earlier versions of Sluice.',
      }),
    ),
    cost: Type.Optional({
      ...PlanCost,
      description: 'Monthly cost. Absent if there was no price list.',
    }),
    driftedCount: Type.Integer({
      minimum: 0,
      description: 'Number of resources that were changed outside of the stack.',
    }),
    tool: Type.String({ description: 'Tool that created the plan, by its name in configurations.' }),
    toolVersion: Type.String({ description: 'Version of the tool.' }),
    source: FreeFormObject,
    stateLineage: Type.Optional(
      Type.String({ description: 'Lineage of the state that the plan was created for. Absent if there was no state.' }),
    ),
    stateSerial: Type.Optional(Type.Integer({ description: 'Serial of that state.' })),
    configDigest: Type.String({ description: 'Digest of the configuration files.' }),
    inputsDigest: Type.String({ description: 'Digest of the inputs.' }),
    appliedByStepExecutionId: Type.Optional(Id),
    appliedAt: Type.Optional(UtcDateTime),
    policies: Type.Optional(
      Type.Array(PolicyVerdict, {
        description: 'Policy decisions made when the plan was created and again before it was applied.',
      }),
    ),
  },
  { ...closed, description: 'Infrastructure plan. It is applied at most once and exactly as planned.' },
)
export type IacPlan = Static<typeof IacPlan>
export type PlanReview = NonNullable<IacPlan['review']>
