import { type Static, type TSchema, Type } from 'typebox'
import { DeploymentStatus } from '../delivery/deployment.ts'
import { pipelineStepExecutionStatuses } from '../pipelines/pipeline-step-execution.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** Intervals of a report. `TOTAL` is a single interval over the whole time range. */
export const reportIntervals = ['DAY', 'WEEK', 'MONTH', 'TOTAL'] as const
export type ReportInterval = (typeof reportIntervals)[number]

/** Maximum time range of a report in days, and maximum number of rows. */
export const maxReportDays = 366
export const maxReportRows = 5_000

const count = (description: string) => Type.Integer({ description })
const seconds = (description: string) => Type.Optional(Type.Number({ description }))

const bucket = {
  startTime: Type.Unsafe<string>({
    ...UtcDateTime,
    description: 'Start of the interval in UTC. Weeks start on Monday; the total starts with the report.',
  }),
  groupId: Type.Optional(Type.String({ description: 'ID of the group. Absent if the report is not grouped.' })),
  groupName: Type.Optional(Type.String({ description: 'Current name of the group.' })),
}

export const DeliveryReportRow = Type.Object(
  {
    ...bucket,
    deployments: count(
      'Number of deployments that ended with `SUCCESS` in the interval, excluding rollbacks to an earlier release.',
    ),
    changes: count(
      'Number of deployments, including those that ended with `ERROR` or `ROLLED_BACK`. Cancelled deployments are not counted.',
    ),
    failures: count(
      'Number of changes that ended with `ERROR` or `ROLLED_BACK`, or whose next deployment of the instance restored an earlier release.',
    ),
    changeFailureRate: Type.Optional(Type.Number({ description: '`failures` / `changes`. Absent without changes.' })),
    restores: count('Number of failures after which the instance was restored.'),
    medianRestoreSeconds: seconds(
      'Median time to restore: from the end of a failed change to the end of the next successful deployment. For a change that was rolled back, the duration of the rollback.',
    ),
    commitsKnown: count('Number of deployments whose commit time is known, because a push triggered their run.'),
    medianLeadSeconds: seconds('Median lead time, from the commit to the end of the deployment.'),
    p90LeadSeconds: seconds('90th percentile of the lead time.'),
    medianDurationSeconds: seconds('Median duration of deployments, including pauses.'),
  },
  { ...closed, description: 'Delivery metrics of an interval.' },
)
export type DeliveryReportRow = Static<typeof DeliveryReportRow>

export const RunReportRow = Type.Object(
  {
    ...bucket,
    runs: count('Number of runs that ended in the interval.'),
    succeeded: count('Number of these runs that ended with `SUCCESS`.'),
    failed: count('Number of these runs that ended with `ERROR`.'),
    cancelled: count('Number of these runs that ended with `CANCELLED`.'),
    failureRate: Type.Optional(
      Type.Number({ description: '`failed` / (`succeeded` + `failed`). Absent without either.' }),
    ),
    medianDurationSeconds: seconds('Median duration of runs, including time spent waiting for users.'),
    p90DurationSeconds: seconds('90th percentile of the duration.'),
    medianQueuedSeconds: seconds('Median time between the creation and the start of a run.'),
  },
  { ...closed, description: 'Pipeline run metrics of an interval.' },
)
export type RunReportRow = Static<typeof RunReportRow>

export const ApprovalReportRow = Type.Object(
  {
    ...bucket,
    requested: count('Number of step approvals requested in the interval.'),
    approved: count('Number of requests that were approved, by users or by a timeout.'),
    rejected: count('Number of requests that a user rejected.'),
    expired: count(
      'Number of requests that ended without a decision, because of a timeout or because the run was cancelled.',
    ),
    waiting: count('Number of requests that are still waiting.'),
    medianWaitSeconds: seconds('Median time between the request and the decision.'),
    longestWaitSeconds: seconds('Longest time between the request and the decision.'),
  },
  { ...closed, description: 'Approval metrics of an interval.' },
)
export type ApprovalReportRow = Static<typeof ApprovalReportRow>

export const PauseReportRow = Type.Object(
  {
    ...bucket,
    pauses: count('Number of deployment pauses that started in the interval.'),
    continued: count('Number of pauses after which the deployment continued.'),
    ended: count('Number of pauses that ended otherwise: the deployment was rolled back, was cancelled or failed.'),
    waiting: count('Number of pauses that are still pending.'),
    medianWaitSeconds: seconds('Median duration of pauses.'),
    longestWaitSeconds: seconds('Longest duration of a pause.'),
  },
  { ...closed, description: 'Pause metrics of an interval.' },
)
export type PauseReportRow = Static<typeof PauseReportRow>

/** Sort orders of a step report. */
export const stepReportOrders = ['MOST_FAILED', 'SLOWEST'] as const
export type StepReportOrder = (typeof stepReportOrders)[number]

export const StepReportRow = Type.Object(
  {
    pipelineId: Id,
    pipelineName: Type.String({ description: 'Current name of the pipeline.' }),
    projectId: Id,
    stepId: Type.String({ description: 'ID of the step in the pipeline configuration.' }),
    stepName: Type.String({ description: 'Latest name of the step.' }),
    stepType: Type.String({ description: 'Latest type of the step.' }),
    executions: count(
      'Number of executions that ended with `SUCCESS` or `ERROR`, in runs that ended in the time range.',
    ),
    failed: count('Number of executions that ended with `ERROR`.'),
    failureRate: Type.Number({ description: '`failed` / `executions`.' }),
    medianDurationSeconds: seconds('Median duration of the last attempt.'),
    p90DurationSeconds: seconds('90th percentile of the duration.'),
  },
  { ...closed, description: 'Metrics of a pipeline step.' },
)
export type StepReportRow = Static<typeof StepReportRow>

/** Figures of reports about deployments and their pauses, by field name. */
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

/** Figures of reports about runs, their approvals and their steps, by field name. */
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
  at: Type.Unsafe<string>({ ...UtcDateTime, description: 'Time that assigns the record to its interval.' }),
  seconds: seconds('Measured duration in seconds, such as the run time, the waiting time or the time to restore.'),
}

export const DeliveryRecordRow = Type.Object(
  {
    deploymentId: Id,
    description: Type.String({ description: 'Description of the deployment.' }),
    status: DeploymentStatus,
    projectId: Id,
    environmentId: Id,
    environmentName: Type.String({ description: 'Current name of the environment.' }),
    moduleInstanceId: Id,
    moduleInstanceName: Type.String({ description: 'Current name of the module instance.' }),
    ...counted,
  },
  { ...closed, description: 'Deployment or pause that a report counts.' },
)
export type DeliveryRecordRow = Static<typeof DeliveryRecordRow>

/** Columns by which a table of deployments can be sorted. */
export const deploymentColumns = [
  'CREATED_AT',
  'SERVICE',
  'ENVIRONMENT',
  'PROJECT',
  'VERSION',
  'STATUS',
  'TRIGGERED_BY',
  'DURATION',
] as const
export type DeploymentColumn = (typeof deploymentColumns)[number]

export const DeploymentRecordRow = Type.Object(
  {
    deploymentId: Id,
    createdAt: UtcDateTime,
    moduleInstanceId: Id,
    moduleInstanceName: Type.String({ description: 'Current name of the module instance.' }),
    environmentId: Id,
    environmentName: Type.String({ description: 'Current name of the environment.' }),
    projectId: Id,
    projectName: Type.String({ description: 'Current name of the project.' }),
    version: Type.Optional(Type.String({ description: 'Short version of the release.' })),
    status: DeploymentStatus,
    isPaused: Type.Boolean({ description: 'Whether the deployment waits for a decision.' }),
    triggeredBy: Type.Optional(
      Type.String({ description: 'Name of the user or service account that requested the deployment.' }),
    ),
    description: Type.String({ description: 'Description of the deployment.' }),
    message: Type.Optional(Type.String({ description: 'Reason why the deployment is queued.' })),
    startedAt: Type.Optional(UtcDateTime),
    completedAt: Type.Optional(UtcDateTime),
    seconds: Type.Optional(Type.Number({ description: 'Duration from start to end in seconds.' })),
  },
  { ...closed, description: 'Deployment in a table.' },
)
export type DeploymentRecordRow = Static<typeof DeploymentRecordRow>

export const RunRecordRow = Type.Object(
  {
    pipelineRunId: Id,
    runNumber: Type.Integer({ minimum: 1, description: 'Number of the run within its pipeline.' }),
    pipelineId: Id,
    pipelineName: Type.String({ description: 'Current name of the pipeline.' }),
    projectId: Id,
    stepExecutionId: Type.Optional({ ...Id, description: 'ID of the step execution, if a step is counted.' }),
    stepName: Type.Optional(Type.String({ description: 'Name of the step.' })),
    status: Type.Enum(pipelineStepExecutionStatuses, {
      description: 'Status of the step, or of the run if no step is counted.',
    }),
    ...counted,
  },
  { ...closed, description: 'Run, approval or step that a report counts.' },
)
export type RunRecordRow = Static<typeof RunRecordRow>

export const ChangeReportRow = Type.Object(
  {
    moduleInstanceId: Id,
    moduleInstanceName: Type.String({ description: 'Current name of the module instance.' }),
    projectId: Id,
    environmentId: Id,
    deployments: count('Number of its deployments that ended between the two times, with any status.'),
    failures: count('Number of these deployments that ended with `ERROR` or `ROLLED_BACK`.'),
    fromDeploymentId: Type.Optional({
      ...Id,
      description: 'ID of the deployment that was live at the first time: the last successful one.',
    }),
    fromDescription: Type.Optional(Type.String({ description: 'Description of that deployment.' })),
    toDeploymentId: Type.Optional({ ...Id, description: 'ID of the deployment that was live at the second time.' }),
    toDescription: Type.Optional(Type.String({ description: 'Description of that deployment.' })),
    isChanged: Type.Boolean({ description: 'Whether a different deployment was live at the second time.' }),
  },
  { ...closed, description: 'Changes of a module instance between two times.' },
)
export type ChangeReportRow = Static<typeof ChangeReportRow>

const range = { startTime: UtcDateTime, endTime: UtcDateTime }

/** Returns the schema of a report in intervals. Its rows are also available as CSV. */
export const reportOf = <T extends TSchema>(row: T) =>
  Type.Object(
    {
      ...range,
      interval: Type.Enum(reportIntervals, { description: 'Length of the interval of each row.' }),
      rows: Type.Array(row, {
        description: 'Rows by time, then by group. Ungrouped reports have a row for every interval.',
      }),
    },
    { ...closed, description: 'Report computed from the resources that the caller can see.' },
  )

/** Returns the schema of a report without intervals. */
export const wholeReportOf = <T extends TSchema>(row: T) =>
  Type.Object(
    { ...range, rows: Type.Array(row, { description: 'Rows in the requested order.' }) },
    { ...closed, description: 'Report computed from the resources that the caller can see.' },
  )

/** Returns the schema of the records behind a figure of a report. */
export const recordsOf = <T extends TSchema>(row: T) =>
  Type.Object(
    {
      ...range,
      total: count('Number of records, which equals the figure.'),
      rows: Type.Array(row, {
        description: 'Records up to the limit, newest first unless another order was requested.',
      }),
    },
    { ...closed, description: 'Records that a report counts and that the caller can see.' },
  )

export const ChangeReport = Type.Object(
  { ...range, rows: Type.Array(ChangeReportRow, { description: 'One row per module instance that was deployed to.' }) },
  { ...closed, description: 'Changes between two times.' },
)
export type ChangeReport = Static<typeof ChangeReport>
