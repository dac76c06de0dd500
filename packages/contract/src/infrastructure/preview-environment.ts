import { type Static, Type } from 'typebox'
import { GivenId, Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** Where a preview environment stands. */
export const previewStatuses = ['WAITING', 'CREATING', 'READY', 'FAILED', 'TEARING_DOWN', 'GONE'] as const
export type PreviewStatus = (typeof previewStatuses)[number]

/** Why one is not wanted any more. */
export const previewEndings = ['CLOSED', 'EXPIRED', 'ENDED'] as const
export type PreviewEnding = (typeof previewEndings)[number]

const PullRequest = Type.Object(
  {
    number: Type.Integer({ description: 'Its number in the repository.' }),
    branch: Type.String({ description: 'The branch that it brings.' }),
    commit: Type.String({ description: 'The latest commit of it.' }),
    by: Type.String({ description: 'Who opened it, or pushed last, for people.' }),
    isFromFork: Type.Boolean({ description: 'Whether its commits are in another repository.' }),
  },
  { ...closed, description: 'The pull request that it is of.' },
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
    givenId: { ...GivenId, description: 'What the environment is called.' },
    environmentId: Type.Optional({ ...Id, description: 'The environment, while there is one.' }),
    pullRequest: PullRequest,
    status: Type.Enum(previewStatuses, {
      description:
        'WAITING for room in the project; CREATING, READY or FAILED by the latest commit; TEARING_DOWN until nothing is left; GONE.',
    }),
    message: Type.Optional(Type.String({ description: 'What it waits for, or what went wrong, for people.' })),
    endedBecause: Type.Optional(
      Type.Enum(previewEndings, {
        description: 'Why it is torn down: the pull request was closed, its time is over, or a person ended it.',
      }),
    ),
    expiresAt: Type.Optional({ ...UtcDateTime, description: 'When it is torn down by itself.' }),
    pipelineRunId: Type.Optional({ ...Id, description: 'The run of the pipeline for the latest commit.' }),
    failedTeardowns: Type.Integer({ description: 'How often in a row tearing it down has failed. It is tried again.' }),
    retryAt: Type.Optional({ ...UtcDateTime, description: 'When tearing it down is tried again.' }),
    upSeconds: Type.Integer({ description: 'How long there has been something of it, in all.' }),
    resourceCount: Type.Integer({ description: 'How many resources of infrastructure it has now.' }),
    instanceCount: Type.Integer({ description: 'How many module instances it has now.' }),
  },
  { ...closed, description: 'An environment of a pull request, for as long as that is open and its time is not over.' },
)
export type PreviewEnvironment = Static<typeof PreviewEnvironment>

export const ExtendPreviewEnvironment = Type.Object(
  {
    hours: Type.Integer({ minimum: 1, maximum: 2_160, description: 'So long from now on it stays. Hours.' }),
  },
  { ...closed, description: 'How much longer it is wanted.' },
)
export type ExtendPreviewEnvironment = Static<typeof ExtendPreviewEnvironment>
