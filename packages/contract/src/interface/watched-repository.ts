import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** When changes in files are applied: immediately after a merge, or after approval. */
export const watchedApplies = ['ON_MERGE', 'AFTER_APPROVAL'] as const
export type WatchedApply = (typeof watchedApplies)[number]

export const watchedStatuses = [
  /** A plan is being created. */
  'PLANNING',
  /** The project matches the files. */
  'APPLIED',
  /** The planned changes wait for approval. */
  'PENDING_APPROVAL',
  'APPLYING',
  /** The project was changed outside of the files since they were applied. */
  'DRIFTED',
  /** The files contain errors, so nothing is applied. */
  'INVALID',
  /** The files could not be read, planned or applied. */
  'FAILED',
] as const
export type WatchedStatus = (typeof watchedStatuses)[number]

/** Path segment other than `.` and `..`, without a lookahead, which not every regular expression engine supports. */
const [letter, letterBesideDot] = ['[^/\\\\\\u0000-\\u001f]', '[^./\\\\\\u0000-\\u001f]']
const segment = `(${letterBesideDot}${letter}*|\\.${letterBesideDot}${letter}*|\\.\\.${letter}+)`

const given = {
  branch: Type.String({
    pattern: '^[^\\s~^:?*\\[\\\\]{1,200}$',
    description: 'Branch that contains the files.',
    examples: ['main'],
  }),
  path: Type.String({
    pattern: `^$|^${segment}(/${segment})*$`,
    maxLength: 500,
    description: 'Directory of the files, relative to the root of the repository. Empty for the root.',
    examples: ['infrastructure'],
  }),
  serviceAccountId: {
    ...Id,
    description: 'ID of the service account that plans and applies the files. Its permissions apply.',
  },
  apply: Type.Enum(watchedApplies, {
    description: 'Whether merged changes are applied automatically or after approval of the plan.',
  }),
  prune: Type.Boolean({
    description:
      'Whether to delete resources that are in no file. Deleting module instances, stacks, environments and pipelines always requires approval.',
  }),
  runStacks: Type.Boolean({ description: 'Whether to apply infrastructure after inputs of module instances change.' }),
  comments: Type.Boolean({
    description:
      'Whether to comment on pull requests with the planned changes. Comments include current values, which every reader of the pull request can see.',
  }),
}

export const WatchedRepository = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: {
      ...Id,
      description: 'ID of the project that the files describe. A project has at most one watched repository.',
    },
    codeSourceId: { ...Id, description: 'ID of the code source.' },
    ...given,
    serviceAccountId: Type.Optional({
      ...given.serviceAccountId,
      description: 'ID of the service account that plans and applies the files. Absent if it was deleted.',
    }),
    status: Type.Enum(watchedStatuses, { description: 'Status of the project relative to the files.' }),
    message: Type.Optional(Type.String({ description: 'Human-readable details of the status.' })),
    commit: Type.Optional(Type.String({ description: 'SHA of the last planned commit.' })),
    plannedAt: Type.Optional({ ...UtcDateTime, description: 'Time of the last plan.' }),
    appliedCommit: Type.Optional(Type.String({ description: 'SHA of the last applied commit.' })),
    appliedAt: Type.Optional({ ...UtcDateTime, description: 'Time of the last apply.' }),
    planDigest: Type.Optional(
      Type.String({ description: 'Digest of the last plan, used to approve it. Absent if there are no changes.' }),
    ),
    changeCount: Type.Integer({ description: 'Number of resources that differ from the files.' }),
    errorCount: Type.Integer({ description: 'Number of errors in the files.' }),
    approvedBy: Type.Optional(
      Type.String({ description: 'Name of the user who approved the plan that is being applied.' }),
    ),
    nextCheckAt: Type.Optional({ ...UtcDateTime, description: 'Time of the next scheduled check.' }),
  },
  { ...closed, description: 'Directory of a repository whose files are continuously applied to a project.' },
)
export type WatchedRepository = Static<typeof WatchedRepository>

const optional = {
  branch: Type.Optional({
    ...given.branch,
    description: 'Branch that contains the files. Defaults to the default branch of the repository.',
  }),
  path: Type.Optional({
    ...given.path,
    description: 'Directory of the files. Defaults to the root of the repository.',
  }),
  apply: Type.Optional({ ...given.apply, description: 'When changes are applied. Defaults to AFTER_APPROVAL.' }),
  prune: Type.Optional({
    ...given.prune,
    description: 'Whether to delete resources that are in no file. Defaults to false.',
  }),
  runStacks: Type.Optional({ ...given.runStacks, description: 'Whether to apply infrastructure. Defaults to true.' }),
  comments: Type.Optional({ ...given.comments, description: 'Whether to comment on pull requests. Defaults to true.' }),
}

export const CreateWatchedRepository = Type.Object(
  { projectId: Id, codeSourceId: Id, serviceAccountId: given.serviceAccountId, ...optional },
  { ...closed, description: 'Fields of a new watched repository.' },
)
export type CreateWatchedRepository = Static<typeof CreateWatchedRepository>

export const UpdateWatchedRepository = Type.Object(
  {
    ...optional,
    branch: Type.Optional(given.branch),
    codeSourceId: Type.Optional(Id),
    serviceAccountId: Type.Optional(given.serviceAccountId),
  },
  { ...closed, description: 'Fields of a watched repository to change. Absent fields stay unchanged.' },
)
export type UpdateWatchedRepository = Static<typeof UpdateWatchedRepository>

export const ApplyWatchedRepository = Type.Object(
  {
    planDigest: Type.String({
      minLength: 1,
      maxLength: 100,
      description: '`planDigest` of the plan to approve. The request fails if the plan has changed.',
    }),
  },
  { ...closed, description: 'Approval of a plan.' },
)
export type ApplyWatchedRepository = Static<typeof ApplyWatchedRepository>

const Difference = Type.Object(
  {
    path: Type.String({ description: 'Name of the field.' }),
    before: Type.Optional(Type.Unknown({ description: 'Current value. Absent if there is none.' })),
    after: Type.Optional(Type.Unknown({ description: 'Value in the files. Absent if the field is removed.' })),
  },
  closed,
)

export const WatchedRepositoryPlan = Type.Object(
  {
    commit: Type.Optional(Type.String({ description: 'SHA of the planned commit.' })),
    plannedAt: Type.Optional(UtcDateTime),
    planDigest: Type.Optional(Type.String({ description: 'Digest of the plan, used to approve it.' })),
    changes: Type.Array(
      Type.Object(
        {
          action: Type.Enum(['create', 'change', 'remove'], { description: 'Planned action.' }),
          record: Type.String({ description: 'Name of the resource in the files.' }),
          differences: Type.Array(Difference),
        },
        closed,
      ),
      { description: 'Changes that applying the files makes.' },
    ),
    errors: Type.Array(
      Type.Object(
        {
          file: Type.String(),
          line: Type.Integer(),
          column: Type.Integer(),
          code: Type.String(),
          message: Type.String(),
        },
        closed,
      ),
      { description: 'Errors in the files with their locations. Lines and columns are counted from 1.' },
    ),
    isTruncated: Type.Boolean({ description: 'Whether the lists are truncated.' }),
    isWithheld: Type.Boolean({
      description: 'Whether the plan is withheld because it concerns resources that the caller cannot see.',
    }),
  },
  { ...closed, description: 'Plan of a watched repository: its changes, or the errors in its files.' },
)
export type WatchedRepositoryPlan = Static<typeof WatchedRepositoryPlan>
