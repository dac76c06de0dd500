import { type Static, type TSchema, Type } from 'typebox'
import { Id } from './ids.ts'
import { UtcDateTime } from './time.ts'

const closed = { additionalProperties: false } as const

export const reportIntervals = ['DAY', 'WEEK', 'MONTH'] as const
export type ReportInterval = (typeof reportIntervals)[number]

/** How much time a report may cover, in days, and how many rows it may have. */
export const mostReportDays = 366
export const mostReportRows = 5_000

const count = (description: string) => Type.Integer({ description })
const seconds = (description: string) => Type.Optional(Type.Number({ description }))

const bucket = {
  startTime: Type.Unsafe<string>({
    ...UtcDateTime,
    description: 'When the interval begins, in UTC. A week begins on Monday.',
  }),
  groupId: Type.Optional(
    Type.String({ description: 'Which of what the report is by; absent where it is by nothing.' }),
  ),
  groupName: Type.Optional(Type.String({ description: 'Its name now.' })),
}

export const DeliveryReportRow = Type.Object(
  {
    ...bucket,
    deployments: count(
      'Deployments that ended as `SUCCESS` in the interval, those that go back to an earlier one left out.',
    ),
    changes: count('The same with those that ended as `ERROR` or `ROLLED_BACK`. Cancelled ones count nowhere.'),
    failures: count(
      'Of the changes, those that ended as `ERROR` or `ROLLED_BACK`, or whose next deployment of the instance went back to an earlier one.',
    ),
    changeFailureRate: Type.Optional(Type.Number({ description: '`failures` / `changes`; absent without changes.' })),
    restores: count('Of the failures, those after which the instance works again.'),
    medianRestoreSeconds: seconds(
      'From the end of a failed change to the end of the next successful deployment of the instance; of one that was rolled back, from the beginning of the rollback to its end. The median.',
    ),
    commitsKnown: count('Of the deployments, those whose commit has a known time: of runs that a push set off.'),
    medianLeadSeconds: seconds('From that commit to the end of the deployment. The median.'),
    p90LeadSeconds: seconds('The same, of which nine in ten are quicker.'),
    medianDurationSeconds: seconds('From the start of a deployment to its end, pauses included. The median.'),
  },
  { ...closed, description: 'What was delivered in an interval.' },
)
export type DeliveryReportRow = Static<typeof DeliveryReportRow>

export const RunReportRow = Type.Object(
  {
    ...bucket,
    runs: count('Runs that ended in the interval.'),
    succeeded: count('Of those, the ones that ended as `SUCCESS`.'),
    failed: count('As `ERROR`.'),
    cancelled: count('As `CANCELLED`.'),
    failureRate: Type.Optional(
      Type.Number({ description: '`failed` / (`succeeded` + `failed`); absent without either.' }),
    ),
    medianDurationSeconds: seconds(
      'From the start of a run to its end, what it waited for people included. The median.',
    ),
    p90DurationSeconds: seconds('The same, of which nine in ten are quicker.'),
    medianQueuedSeconds: seconds('From when a run was made to its start. The median.'),
  },
  { ...closed, description: 'How the runs of an interval went.' },
)
export type RunReportRow = Static<typeof RunReportRow>

export const ApprovalReportRow = Type.Object(
  {
    ...bucket,
    requested: count('Approvals of steps that were asked for in the interval.'),
    approved: count('Of those, the ones that were given, by people or because nobody decided in time.'),
    rejected: count('Turned down by a person.'),
    expired: count('Over without a decision: nobody decided in time, or the run was cancelled.'),
    waiting: count('Not decided yet.'),
    medianWaitSeconds: seconds('From when it was asked for to the decision. The median.'),
    longestWaitSeconds: seconds('The longest of those.'),
  },
  { ...closed, description: 'How long approvals of an interval waited.' },
)
export type ApprovalReportRow = Static<typeof ApprovalReportRow>

export const ChangeReportRow = Type.Object(
  {
    moduleInstanceId: Id,
    moduleInstanceName: Type.String({ description: 'Its name now.' }),
    projectId: Id,
    environmentId: Id,
    deployments: count('Deployments of it that ended between the two moments, however they did.'),
    failures: count('Of those, the ones that ended as `ERROR` or `ROLLED_BACK`.'),
    fromDeploymentId: Type.Optional({
      ...Id,
      description: 'What ran at the first moment: the last that had succeeded.',
    }),
    fromDescription: Type.Optional(Type.String({ description: 'Its description.' })),
    toDeploymentId: Type.Optional({ ...Id, description: 'What ran at the second.' }),
    toDescription: Type.Optional(Type.String({ description: 'Its description.' })),
    isChanged: Type.Boolean({ description: 'Whether another deployment runs at the second than at the first.' }),
  },
  { ...closed, description: 'What became of an instance between two moments.' },
)
export type ChangeReportRow = Static<typeof ChangeReportRow>

const range = { startTime: UtcDateTime, endTime: UtcDateTime }

/** A report in intervals; its rows may be had as a table. */
export const reportOf = <T extends TSchema>(row: T) =>
  Type.Object(
    {
      ...range,
      interval: Type.Enum(reportIntervals, { description: 'How long the interval of a row is.' }),
      rows: Type.Array(row, { description: 'By time, then by group. Without groups, each interval has a row.' }),
    },
    { ...closed, description: 'Counted from the records of Sluice, of what the caller sees.' },
  )

export const ChangeReport = Type.Object(
  { ...range, rows: Type.Array(ChangeReportRow, { description: 'Each instance that was deployed to.' }) },
  { ...closed, description: 'What changed between two moments.' },
)
export type ChangeReport = Static<typeof ChangeReport>
