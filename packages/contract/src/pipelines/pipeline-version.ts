import { type Static, Type } from 'typebox'
import { ApprovalDemand, StepApproval } from '../gates/approval-rule.ts'
import { policiesIncluded } from '../gates/policy.ts'
import { freeFormLike } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** Described at `/schemas/pipeline.json`. */
const Config = freeFormLike({ steps: [{ id: 'approve', type: 'approval' }] })

export const PipelineVersion = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Type.Optional(Id),
    pipelineId: Id,
    version: Type.Integer({ minimum: 1, description: 'Counts up from 1, without gaps.' }),
    config: Config,
    createdById: Type.Optional(Id),
  },
  { ...closed, description: 'A configuration of a pipeline. It never changes.' },
)
export type PipelineVersion = Static<typeof PipelineVersion>

export const ApprovePipelineVersion = Type.Object(
  { comment: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description: 'Why.' })) },
  { ...closed, description: 'What is said of the approval.' },
)
export type ApprovePipelineVersion = Static<typeof ApprovePipelineVersion>

/** What can be asked for beside a version. */
export const versionIncluded = {
  ...policiesIncluded,
  approval: Type.Object(
    {
      ...StepApproval.properties,
      isAwaited: Type.Boolean({ description: 'Whether runs of it wait, as a policy asks for more.' }),
      demands: Type.Array(ApprovalDemand, { description: 'What policies asked for when it was made.' }),
    },
    { ...closed, description: 'Who must approve the version before it is run, and how many have.' },
  ),
} as const
export type PipelineVersionApproval = Static<typeof versionIncluded.approval>

export const CreatePipelineVersion = Type.Object(
  {
    pipelineId: Id,
    config: Config,
    dryRun: Type.Optional(Type.Boolean({ description: 'Only check and compare, store nothing.' })),
  },
  { ...closed, description: 'A configuration to run from now on.' },
)
export type CreatePipelineVersion = Static<typeof CreatePipelineVersion>

/** An operation by RFC 6902, with what it means for people. */
export const PatchOp = Type.Object(
  {
    op: Type.Enum(['add', 'remove', 'replace', 'move'], { description: 'What is done.' }),
    path: Type.String({ description: 'Where: a JSON Pointer (RFC 6901) into the configuration.' }),
    from: Type.Optional(Type.String({ description: 'On move: where it is taken from.' })),
    fromValue: Type.Optional(Type.Unknown({ description: 'What is there before, if something is.' })),
    pathLabel: Type.Optional(Type.String({ description: 'The path for people: items by their id or name.' })),
    value: Type.Optional(Type.Unknown({ description: 'On add and replace: what is there afterwards.' })),
  },
  { ...closed, description: 'One difference.' },
)
export type PatchOp = Static<typeof PatchOp>

export const PipelineVersionDryRun = Type.Object(
  {
    patch: Type.Array(PatchOp, { description: 'What turns the latest version into this configuration.' }),
    pipelineId: Id,
    baseVersion: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of the latest version.' })),
    baseVersionId: Type.Optional(Id),
  },
  { ...closed, description: 'What would change; without a base, there is no version yet.' },
)
export type PipelineVersionDryRun = Static<typeof PipelineVersionDryRun>
