import { type Static, Type } from 'typebox'
import { ApprovalRequirement, StepApproval } from '../gates/approval-rule.ts'
import { policiesIncluded } from '../gates/policy.ts'
import { freeFormLike } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** The schema is served at `/schemas/pipeline.json`. */
const Config = freeFormLike({ steps: [{ id: 'approve', type: 'approval' }] })

export const PipelineVersion = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Type.Optional(Id),
    pipelineId: Id,
    version: Type.Integer({ minimum: 1, description: 'Version number, counted from 1 without gaps.' }),
    config: Config,
    createdById: Type.Optional(Id),
  },
  { ...closed, description: "Immutable version of a pipeline's configuration." },
)
export type PipelineVersion = Static<typeof PipelineVersion>

export const ApprovePipelineVersion = Type.Object(
  { comment: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description: 'Comment on the approval.' })) },
  { ...closed, description: 'Approval of a pipeline version.' },
)
export type ApprovePipelineVersion = Static<typeof ApprovePipelineVersion>

/** Data that `include` can add to a pipeline version. */
export const versionIncluded = {
  ...policiesIncluded,
  approval: Type.Object(
    {
      ...StepApproval.properties,
      isPending: Type.Boolean({
        description: 'Whether runs of the version wait for approvals that a policy requires.',
      }),
      requirements: Type.Array(ApprovalRequirement, {
        description: 'Approvals that policies required when the version was created.',
      }),
    },
    { ...closed, description: 'Approvals required before the version can run, and how many it has.' },
  ),
} as const
export type PipelineVersionApproval = Static<typeof versionIncluded.approval>

export const CreatePipelineVersion = Type.Object(
  {
    pipelineId: Id,
    config: Config,
    dryRun: Type.Optional(
      Type.Boolean({ description: 'Whether to validate and compare without storing anything. Defaults to false.' }),
    ),
  },
  { ...closed, description: 'Fields of a new pipeline version. New runs use it.' },
)
export type CreatePipelineVersion = Static<typeof CreatePipelineVersion>

/** JSON Patch operation (RFC 6902) with additions for display. */
export const PatchOp = Type.Object(
  {
    op: Type.Enum(['add', 'remove', 'replace', 'move'], { description: 'Operation.' }),
    path: Type.String({ description: 'JSON Pointer (RFC 6901) into the configuration.' }),
    from: Type.Optional(Type.String({ description: 'Source path of a move.' })),
    fromValue: Type.Optional(Type.Unknown({ description: 'Value before the operation, if there is one.' })),
    pathLabel: Type.Optional(
      Type.String({ description: 'Display form of the path, with list items identified by ID or name.' }),
    ),
    value: Type.Optional(Type.Unknown({ description: 'Value after an add or a replace.' })),
  },
  { ...closed, description: 'Difference between two configurations.' },
)
export type PatchOp = Static<typeof PatchOp>

export const PipelineVersionDryRun = Type.Object(
  {
    patch: Type.Array(PatchOp, {
      description: 'Operations that turn the latest version into the given configuration.',
    }),
    pipelineId: Id,
    baseVersion: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of the latest version.' })),
    baseVersionId: Type.Optional(Id),
  },
  {
    ...closed,
    description: 'Changes that the new version would make. `baseVersion` is absent if the pipeline has no version yet.',
  },
)
export type PipelineVersionDryRun = Static<typeof PipelineVersionDryRun>
