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

/** `PLANNED` waits to be applied; all but `APPLYING` are final after it. */
export const iacPlanStatuses = ['PLANNED', 'APPLYING', 'APPLIED', 'FAILED', 'REJECTED', 'STALE'] as const

const changeCounts = Type.Object(Object.fromEntries(iacChangeTypes.map((type) => [type, count])), {
  ...closed,
  description: 'How many resources have each change type.',
})

export const PlanTypeCount = Type.Object(
  {
    resourceType: Type.String({ description: 'The type of the resources.', examples: ['aws_instance'] }),
    changeCounts: Type.Partial(changeCounts, {
      description: 'How many of them have each change type, without those that none has.',
    }),
  },
  { ...closed, description: 'What a plan does with the resources of one type.' },
)
export type PlanTypeCount = Static<typeof PlanTypeCount>

export const PlanWarning = Type.Object(
  {
    summary: Type.String({ description: 'What the warning is about.', examples: ['Check block assertion failed'] }),
    detail: Type.Optional(Type.String({ description: 'The warning in full, cut where long.' })),
    address: Type.Optional(Type.String({ description: 'The resource that it is about.' })),
    file: Type.Optional(Type.String({ description: 'The file, relative to the folder of the configuration.' })),
    line: Type.Optional(Type.Integer({ description: 'The line in that file.' })),
  },
  { ...closed, description: 'A warning that was issued while the plan was made.' },
)
export type PlanWarning = Static<typeof PlanWarning>

export const PlanOutputChange = Type.Object(
  {
    name: Type.String({ description: 'The name of the output.' }),
    changeType: IacChangeType,
    before: Type.Optional(Type.Unknown({ description: 'Its value before; absent where there was none.' })),
    after: Type.Optional(Type.Unknown({ description: 'Its value afterwards; absent where there is none.' })),
  },
  { ...closed, description: 'A change of an output. Sensitive values are hidden, and long ones are cut.' },
)
export type PlanOutputChange = Static<typeof PlanOutputChange>

export const PlanMove = Type.Object(
  {
    address: Type.String({ description: 'The address afterwards.' }),
    previousAddress: Type.String({ description: 'The address before.' }),
    changeType: IacChangeType,
  },
  { ...closed, description: 'A resource that moves to another address; `NO_OP` where nothing else happens to it.' },
)
export type PlanMove = Static<typeof PlanMove>

/** What approvers must see of a plan beside its resources. Each list has the first entries, its count has all. */
export const planReview = {
  reasonCounts: Type.Partial(Type.Object(Object.fromEntries(iacChangeReasons.map((reason) => [reason, count]))), {
    ...closed,
    description: 'How many resources are changed for each reason, without the reasons that none has.',
  }),
  warnings: Type.Array(PlanWarning, { description: 'The first 50 warnings.' }),
  warningCount: Type.Integer({ minimum: 0, description: 'The number of all warnings.' }),
  outputChanges: Type.Array(PlanOutputChange, { description: 'The first 100 outputs that change, by name.' }),
  outputChangeCount: Type.Integer({ minimum: 0, description: 'The number of all outputs that change.' }),
  moves: Type.Array(PlanMove, { description: 'The first 100 resources that move, by address.' }),
} as const

/** How many entries of each list are stored with a plan. */
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
    kind: Type.Enum(iacPlanKinds, { description: 'What it was made for.' }),
    status: Type.Enum(iacPlanStatuses, { description: 'What became of it.' }),
    hasChanges: Type.Boolean({ description: 'Whether applying it would do anything.' }),
    changeCounts,
    typeCounts: Type.Optional(
      Type.Array(PlanTypeCount, {
        description: 'The same by type of resource, of what changes: the 100 types with the most, the most first.',
      }),
    ),
    review: Type.Optional(
      Type.Object(planReview, {
        ...closed,
        description: 'What approvers must see beside the resources; absent from plans of earlier versions.',
      }),
    ),
    cost: Type.Optional({
      ...PlanCost,
      description: 'What it costs in a month; absent where there was no price list.',
    }),
    driftedCount: Type.Integer({ minimum: 0, description: 'How many resources were changed behind its back.' }),
    tool: Type.String({ description: 'The tool that made it, as configurations name it.' }),
    toolVersion: Type.String({ description: 'And its version.' }),
    source: FreeFormObject,
    stateLineage: Type.Optional(Type.String({ description: 'The state that it was made for; absent for none.' })),
    stateSerial: Type.Optional(Type.Integer({ description: 'The serial of that state.' })),
    configDigest: Type.String({ description: 'The same for the same files.' }),
    inputsDigest: Type.String({ description: 'The same for the same inputs.' }),
    appliedByStepExecutionId: Type.Optional(Id),
    appliedAt: Type.Optional(UtcDateTime),
    policies: Type.Optional(
      Type.Array(PolicyVerdict, {
        description: 'What it was judged by when it was made, and again when it was about to be applied.',
      }),
    ),
  },
  { ...closed, description: 'A plan of changes. It is applied at most once, exactly as it is.' },
)
export type IacPlan = Static<typeof IacPlan>
export type PlanReview = NonNullable<IacPlan['review']>
