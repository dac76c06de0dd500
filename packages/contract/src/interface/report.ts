import { type Static, type TSchema, Type } from 'typebox'
import { DeploymentStatus } from '../delivery/deployment.ts'
import { pipelineStepExecutionStatuses } from '../pipelines/pipeline-step-execution.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** `TOTAL` is one interval: all of the time. */
export const reportIntervals = ['DAY', 'WEEK', 'MONTH', 'TOTAL'] as const
export type ReportInterval = (typeof reportIntervals)[number]

/** How much time a report may cover, in days, and how many rows it may have. */
export const mostReportDays = 366
export const mostReportRows = 5_000

const count = (description: string) => Type.Integer({ description })
const seconds = (description: string) => Type.Optional(Type.Number({ description }))

const bucket = {
  startTime: Type.Unsafe<string>({
    ...UtcDateTime,
    description: 'When the interval begins, in UTC. A week begins on Monday, the total with the report.',
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

export const PauseReportRow = Type.Object(
  {
    ...bucket,
    pauses: count('Pauses of deployments that began in the interval.'),
    continued: count('Of those, the ones after which the deployment went on.'),
    ended: count('Over otherwise: the deployment was rolled back, cancelled or failed.'),
    waiting: count('Not over yet.'),
    medianWaitSeconds: seconds('From the beginning of a pause to its end. The median.'),
    longestWaitSeconds: seconds('The longest of those.'),
  },
  { ...closed, description: 'How long pauses of an interval waited.' },
)
export type PauseReportRow = Static<typeof PauseReportRow>

/** Which steps come first. */
export const stepReportOrders = ['MOST_FAILED', 'SLOWEST'] as const
export type StepReportOrder = (typeof stepReportOrders)[number]

export const StepReportRow = Type.Object(
  {
    pipelineId: Id,
    pipelineName: Type.String({ description: 'Its name now.' }),
    projectId: Id,
    stepId: Type.String({ description: 'The step, as the configuration names it.' }),
    stepName: Type.String({ description: 'What it was called last.' }),
    stepType: Type.String({ description: 'What it was last.' }),
    executions: count('How often it ended as `SUCCESS` or `ERROR` in runs that ended in the time.'),
    failed: count('Of those, as `ERROR`.'),
    failureRate: Type.Number({ description: '`failed` / `executions`.' }),
    medianDurationSeconds: seconds('From the start of its last attempt to its end. The median.'),
    p90DurationSeconds: seconds('The same, of which nine in ten are quicker.'),
  },
  { ...closed, description: 'How a step of a pipeline went.' },
)
export type StepReportRow = Static<typeof StepReportRow>

/** What a report counts of deployments and their pauses, by the names of its fields. */
export const deliveryFigures = [
  'DEPLOYMENTS',
  'CHANGES',
  'FAILURES',
  'RESTORES',
  'COMMITS_KNOWN',
  'PAUSES',
  'PAUSES_WAITING',
] as const
export type DeliveryFigure = (typeof deliveryFigures)[number]

/** The same of runs, their approvals and their steps. */
export const runFigures = [
  'RUNS',
  'SUCCEEDED',
  'FAILED',
  'CANCELLED',
  'APPROVALS_REQUESTED',
  'APPROVALS_APPROVED',
  'APPROVALS_REJECTED',
  'APPROVALS_EXPIRED',
  'APPROVALS_WAITING',
  'STEPS',
  'STEPS_FAILED',
] as const
export type RunFigure = (typeof runFigures)[number]

const counted = {
  at: Type.Unsafe<string>({ ...UtcDateTime, description: 'The moment by which it is counted in its interval.' }),
  seconds: seconds('What is measured of it, such as how long it took, waited, or until it worked again.'),
}

export const DeliveryRecordRow = Type.Object(
  {
    deploymentId: Id,
    description: Type.String({ description: 'Its description.' }),
    status: DeploymentStatus,
    projectId: Id,
    environmentId: Id,
    environmentName: Type.String({ description: 'Its name now.' }),
    moduleInstanceId: Id,
    moduleInstanceName: Type.String({ description: 'Its name now.' }),
    ...counted,
  },
  { ...closed, description: 'A deployment, or a pause of it, that a report counts.' },
)
export type DeliveryRecordRow = Static<typeof DeliveryRecordRow>

export const RunRecordRow = Type.Object(
  {
    pipelineRunId: Id,
    runNumber: Type.Integer({ minimum: 1, description: 'The number of the run among those of the pipeline.' }),
    pipelineId: Id,
    pipelineName: Type.String({ description: 'Its name now.' }),
    projectId: Id,
    stepExecutionId: Type.Optional({ ...Id, description: 'The step, where it is one that is counted.' }),
    stepName: Type.Optional(Type.String({ description: 'What it is called.' })),
    status: Type.Enum(pipelineStepExecutionStatuses, { description: 'Of the step, where it is one; else of the run.' }),
    ...counted,
  },
  { ...closed, description: 'A run, an approval or a step that a report counts.' },
)
export type RunRecordRow = Static<typeof RunRecordRow>

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

/** A report without intervals. */
export const wholeReportOf = <T extends TSchema>(row: T) =>
  Type.Object(
    { ...range, rows: Type.Array(row, { description: 'In the order that was asked for.' }) },
    { ...closed, description: 'Counted from the records of Sluice, of what the caller sees.' },
  )

/** The records behind a number of a report. */
export const recordsOf = <T extends TSchema>(row: T) =>
  Type.Object(
    {
      ...range,
      total: count('How many there are: the number itself.'),
      rows: Type.Array(row, { description: 'The latest first, no more than asked for.' }),
    },
    { ...closed, description: 'What a report counts, of what the caller sees.' },
  )

export const ChangeReport = Type.Object(
  { ...range, rows: Type.Array(ChangeReportRow, { description: 'Each instance that was deployed to.' }) },
  { ...closed, description: 'What changed between two moments.' },
)
export type ChangeReport = Static<typeof ChangeReport>
