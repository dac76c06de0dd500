import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** When what files say is done: as soon as it is merged, or once somebody agreed to it. */
export const watchedApplies = ['ON_MERGE', 'AFTER_APPROVAL'] as const
export type WatchedApply = (typeof watchedApplies)[number]

export const watchedStatuses = [
  /** A plan is being made. */
  'PLANNING',
  /** The project is as the files say. */
  'IN_FORCE',
  /** What would change waits for somebody to agree. */
  'PENDING_APPROVAL',
  'APPLYING',
  /** The files were applied, and the project was changed otherwise since. */
  'DRIFTED',
  /** The files are not right, and nothing is done. */
  'FAULTY',
  /** They could not be read, planned or applied. */
  'FAILED',
] as const
export type WatchedStatus = (typeof watchedStatuses)[number]

/** A name in a path: anything but `.` and `..`, said without looking ahead, which not every reader of patterns can. */
const [letter, letterBesideDot] = ['[^/\\\\\\u0000-\\u001f]', '[^./\\\\\\u0000-\\u001f]']
const segment = `(${letterBesideDot}${letter}*|\\.${letterBesideDot}${letter}*|\\.\\.${letter}+)`

const given = {
  branch: Type.String({
    pattern: '^[^\\s~^:?*\\[\\\\]{1,200}$',
    description: 'The branch whose files count.',
    examples: ['main'],
  }),
  path: Type.String({
    pattern: `^$|^${segment}(/${segment})*$`,
    maxLength: 500,
    description: 'The folder with the files, from the root of the repository, which itself is the empty text.',
    examples: ['infrastructure'],
  }),
  serviceAccountId: {
    ...Id,
    description: 'In whose name files are planned and applied: what it may not do, they cannot do either.',
  },
  apply: Type.Enum(watchedApplies, {
    description: 'Whether what is merged is applied by itself, or once somebody has agreed to the plan.',
  }),
  prune: Type.Boolean({
    description:
      'Whether what no file has is removed. Instances, stacks, environments and pipelines never go by themselves: somebody has to agree.',
  }),
  runStacks: Type.Boolean({ description: 'Whether infrastructure is changed with the inputs of instances.' }),
  comments: Type.Boolean({
    description:
      'Whether pull requests are told in a comment what would change, with the values that are there now: whoever reads them reads it.',
  }),
}

export const WatchedRepository = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: { ...Id, description: 'The project that the files are about. It has one watched repository at most.' },
    codeSourceId: { ...Id, description: 'The repository.' },
    ...given,
    serviceAccountId: Type.Optional({ ...given.serviceAccountId, description: 'Absent: it was deleted.' }),
    status: Type.Enum(watchedStatuses, { description: 'How the project stands to the files.' }),
    message: Type.Optional(Type.String({ description: 'Why it stands so, where there is more to say.' })),
    commit: Type.Optional(Type.String({ description: 'The commit that was planned last.' })),
    plannedAt: Type.Optional({ ...UtcDateTime, description: 'When that was.' }),
    appliedCommit: Type.Optional(Type.String({ description: 'The commit whose files were applied last.' })),
    appliedAt: Type.Optional({ ...UtcDateTime, description: 'When that was.' }),
    planDigest: Type.Optional(
      Type.String({ description: 'Names what the last plan found, for agreeing to it. Absent: nothing to do.' }),
    ),
    changeCount: Type.Integer({ description: 'How many records differ from the files.' }),
    faultCount: Type.Integer({ description: 'How much is wrong with the files.' }),
    approvedBy: Type.Optional(Type.String({ description: 'Who agreed to the plan that is being applied.' })),
    nextLookAt: Type.Optional({ ...UtcDateTime, description: 'When it is looked at next without being told.' }),
  },
  { ...closed, description: 'A folder of a repository whose files are kept in force in a project.' },
)
export type WatchedRepository = Static<typeof WatchedRepository>

const optional = {
  branch: Type.Optional({ ...given.branch, description: 'Absent: the default branch of the repository.' }),
  path: Type.Optional({ ...given.path, description: 'The folder. Absent: the whole repository.' }),
  apply: Type.Optional({ ...given.apply, description: 'Absent: AFTER_APPROVAL.' }),
  prune: Type.Optional({ ...given.prune, description: 'Whether what no file has is removed. Absent: false.' }),
  runStacks: Type.Optional({ ...given.runStacks, description: 'Whether infrastructure is changed. Absent: true.' }),
  comments: Type.Optional({ ...given.comments, description: 'Whether pull requests get a comment. Absent: true.' }),
}

export const CreateWatchedRepository = Type.Object(
  { projectId: Id, codeSourceId: Id, serviceAccountId: given.serviceAccountId, ...optional },
  { ...closed, description: 'A folder of a repository to be watched.' },
)
export type CreateWatchedRepository = Static<typeof CreateWatchedRepository>

export const UpdateWatchedRepository = Type.Object(
  {
    ...optional,
    branch: Type.Optional(given.branch),
    codeSourceId: Type.Optional(Id),
    serviceAccountId: Type.Optional(given.serviceAccountId),
  },
  { ...closed, description: 'Changes to what is watched and how. What is left out stays.' },
)
export type UpdateWatchedRepository = Static<typeof UpdateWatchedRepository>

export const ApplyWatchedRepository = Type.Object(
  {
    planDigest: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The `planDigest` of what was read: another plan than that is not applied.',
    }),
  },
  { ...closed, description: 'What is agreed to.' },
)
export type ApplyWatchedRepository = Static<typeof ApplyWatchedRepository>

const Difference = Type.Object(
  {
    path: Type.String({ description: 'The field.' }),
    before: Type.Optional(Type.Unknown({ description: 'What it is. Absent: it is not there.' })),
    after: Type.Optional(Type.Unknown({ description: 'What the files say. Absent: it goes.' })),
  },
  closed,
)

export const WatchedRepositoryPlan = Type.Object(
  {
    commit: Type.Optional(Type.String({ description: 'Of which the files are.' })),
    plannedAt: Type.Optional(UtcDateTime),
    planDigest: Type.Optional(Type.String({ description: 'Names it, for agreeing to it.' })),
    changes: Type.Array(
      Type.Object(
        {
          action: Type.Enum(['create', 'change', 'remove'], { description: 'What is done.' }),
          record: Type.String({ description: 'What it is done to, as the files call it.' }),
          differences: Type.Array(Difference),
        },
        closed,
      ),
      { description: 'What applying the files changes.' },
    ),
    faults: Type.Array(
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
      { description: 'What is wrong with the files, and where, from 1.' },
    ),
    isCut: Type.Boolean({ description: 'Whether there is more than is shown.' }),
    isWithheld: Type.Boolean({
      description: 'Whether nothing is shown, since something in the project is hidden from who asks.',
    }),
  },
  { ...closed, description: 'What applying the files of a watched repository changes, or what is wrong with them.' },
)
export type WatchedRepositoryPlan = Static<typeof WatchedRepositoryPlan>
