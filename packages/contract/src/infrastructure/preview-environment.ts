import { type Static, Type } from 'typebox'
import { GivenId, Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** Statuses of a preview environment. */
export const previewStatuses = ['WAITING', 'CREATING', 'READY', 'FAILED', 'DESTROYING', 'DESTROYED'] as const
export type PreviewStatus = (typeof previewStatuses)[number]

/** Reasons for the end of a preview environment. */
export const previewEndings = ['CLOSED', 'EXPIRED', 'ENDED'] as const
export type PreviewEnding = (typeof previewEndings)[number]

const PullRequest = Type.Object(
  {
    number: Type.Integer({ description: 'Number of the pull request in its repository.' }),
    branch: Type.String({ description: 'Head branch of the pull request.' }),
    commit: Type.String({ description: 'SHA of the latest commit.' }),
    by: Type.String({ description: 'User who opened the pull request or pushed last.' }),
    isFromFork: Type.Boolean({ description: 'Whether the commits are in another repository.' }),
  },
  { ...closed, description: 'Pull request of the preview environment.' },
)

export const PreviewEnvironment = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: Id,
    previewTemplateId: Id,
    codeSourceId: Id,
    givenId: { ...GivenId, description: 'Identifier of the environment.' },
    environmentId: Type.Optional({ ...Id, description: 'ID of the environment while it exists.' }),
    pullRequest: PullRequest,
    status: Type.Enum(previewStatuses, {
      description:
        'Status of the preview environment. WAITING: the project has reached its limit. CREATING, READY or FAILED: state of the latest commit. DESTROYING: being destroyed. DESTROYED: destroyed.',
    }),
    message: Type.Optional(Type.String({ description: 'Reason for waiting or failing.' })),
    endReason: Type.Optional(
      Type.Enum(previewEndings, {
        description: 'Reason for the teardown: the pull request was closed, the lifetime ended, or a user ended it.',
      }),
    ),
    expiresAt: Type.Optional({ ...UtcDateTime, description: 'Time of the automatic teardown.' }),
    pipelineRunId: Type.Optional({ ...Id, description: 'ID of the pipeline run for the latest commit.' }),
    failedTeardowns: Type.Integer({ description: 'Number of consecutive failed teardowns. Sluice retries them.' }),
    retryAt: Type.Optional({ ...UtcDateTime, description: 'Time of the next attempt to tear the environment down.' }),
    upSeconds: Type.Integer({ description: 'Total time in seconds during which the environment had infrastructure.' }),
    resourceCount: Type.Integer({ description: 'Current number of infrastructure resources.' }),
    instanceCount: Type.Integer({ description: 'Current number of module instances.' }),
  },
  {
    ...closed,
    description: 'Environment of a pull request. It exists until the pull request is closed or its lifetime ends.',
  },
)
export type PreviewEnvironment = Static<typeof PreviewEnvironment>

export const ExtendPreviewEnvironment = Type.Object(
  {
    hours: Type.Integer({ minimum: 1, maximum: 2_160, description: 'New lifetime in hours, counted from now.' }),
  },
  { ...closed, description: 'Extension of a preview environment.' },
)
export type ExtendPreviewEnvironment = Static<typeof ExtendPreviewEnvironment>
