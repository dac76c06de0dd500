import { type Static, Type } from 'typebox'
import { FreeFormObject } from './free-form.ts'
import { iacChangeTypes } from './iac-resource.ts'
import { Id } from './ids.ts'
import { PolicyVerdict } from './policy.ts'
import { UtcDateTime } from './time.ts'

const closed = { additionalProperties: false } as const

export const iacPlanKinds = ['PLAN', 'DESTROY', 'DRIFT'] as const

/** `PLANNED` waits to be applied; all but `APPLYING` are final after it. */
export const iacPlanStatuses = ['PLANNED', 'APPLYING', 'APPLIED', 'FAILED', 'REJECTED', 'STALE'] as const

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
    changeCounts: Type.Object(Object.fromEntries(iacChangeTypes.map((type) => [type, Type.Integer({ minimum: 0 })])), {
      ...closed,
      description: 'How many resources have each change type.',
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
      Type.Array(PolicyVerdict, { description: 'What it was judged by when it was about to be applied.' }),
    ),
  },
  { ...closed, description: 'A plan of changes. It is applied at most once, exactly as it is.' },
)
export type IacPlan = Static<typeof IacPlan>
