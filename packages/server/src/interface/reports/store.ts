import type {
  ApprovalReportRow,
  ChangeReportRow,
  DeliveryReportRow,
  ReportInterval,
  RunReportRow,
} from '@sluice/contract'
import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'

/** What a report is about: whose, from when until before when, and only what these ids say. */
export type Wanted = {
  organizationId: string
  start: Date
  end: Date
  projectId?: string | undefined
  environmentId?: string | undefined
  moduleInstanceId?: string | undefined
  pipelineId?: string | undefined
}

export type Divided = Wanted & { interval: ReportInterval; groupBy?: keyof typeof groupColumns | undefined }

/** Rows that are read: one more than there may be says that there are too many. */
type Most = number

/** What a report may be by: the column of its id, and where its name is. */
const groupColumns = {
  PROJECT: { id: sql`project_id`, table: sql`projects` },
  ENVIRONMENT: { id: sql`environment_id`, table: sql`environments` },
  MODULE_INSTANCE: { id: sql`module_instance_id`, table: sql`module_instances` },
  PIPELINE: { id: sql`pipeline_id`, table: sql`pipelines` },
} as const

const median = (value: SQL, condition?: SQL): SQL => percentile(0.5, value, condition)
const percentile = (share: number, value: SQL, condition: SQL = sql`true`): SQL =>
  sql`round((percentile_cont(${sql.raw(String(share))}) within group (order by extract(epoch from ${value}))
    filter (where ${condition}))::numeric, 3)::float8`

/** Only what the ids say; `of` is the table or alias that has the columns. */
function within(of: SQL, { projectId, environmentId, moduleInstanceId, pipelineId }: Wanted): SQL {
  const ids = {
    project_id: projectId,
    environment_id: environmentId,
    module_instance_id: moduleInstanceId,
    pipeline_id: pipelineId,
  }
  const conditions = Object.entries(ids).flatMap(([column, id]) =>
    id === undefined ? [] : [sql` and ${of}.${sql.identifier(column)} = ${id}`],
  )
  return sql.join(conditions)
}

/** The rows of `facts`, which have a moment `at`, counted by interval and by what the report is by. */
function counted(facts: SQL, counts: SQL, { interval, groupBy }: Divided, most: Most): SQL {
  const begin = sql`date_trunc(${interval.toLowerCase()}, at, 'UTC')`
  const group = groupBy && groupColumns[groupBy]
  return sql`with facts as (${facts}), counted as (
      select ${begin} as begin, ${group ? group.id : sql`null::text`} as group_id, ${counts} from facts group by 1, 2)
    select to_char(begin at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "startTime",
      group_id as "groupId", ${group ? sql`named.name` : sql`null::text`} as "groupName", counted.*
    from counted ${group ? sql`left join ${group.table} as named on named.id = group_id` : sql``}
    order by begin, group_id limit ${most}`
}

/**
 * Deployments that ended, each with what came after it on its instance, however late: a change of the last day may have
 * been repaired since. Backwards, for so each row adds to what is known already: forwards, each would look at all that
 * follow.
 */
const deliveries = (wanted: Wanted): SQL => sql`
  select *, case
      when not is_failure then null
      when status = 'ROLLED_BACK' then at - coalesce(rollback_at, started_at)
      else next_success_at - at
    end as restored_after
  from (
    select *, rollback_to_deployment_id is null and status <> 'SUCCESS'
        or rollback_to_deployment_id is null and coalesce(is_undone, false) as is_failure
    from (
      select d.status, d.started_at, d.completed_at as at, d.project_id, d.environment_id, d.module_instance_id,
        d.rollback_to_deployment_id, r.committed_at,
        case d.status when 'ROLLED_BACK' then (
          select min(event->>'startedAt')::timestamptz from jsonb_array_elements(d.data->'events') as event
          where event->>'stepCode' = 'ROLLBACK_STARTED') end as rollback_at,
        lag(d.rollback_to_deployment_id is not null and d.status = 'SUCCESS') over backwards as is_undone,
        min(d.completed_at) filter (where d.status = 'SUCCESS') over
          (backwards rows between unbounded preceding and 1 preceding) as next_success_at
      from deployments d left join lateral (
        select (trigger->'payload'->>'committed_at')::timestamptz as committed_at from pipeline_runs
        where id = d.pipeline_run_id and trigger->>'kind' = 'push') as r on true
      where d.organization_id = ${wanted.organizationId} and d.completed_at >= ${wanted.start.toISOString()}
        and d.status in ('SUCCESS', 'ERROR', 'ROLLED_BACK')${within(sql`d`, wanted)}
      window backwards as (partition by d.module_instance_id order by d.completed_at desc, d.id desc)
    ) as followed
  ) as judged
  where at < ${wanted.end.toISOString()}`

const deliveryCounts = sql`
  count(*) filter (where status = 'SUCCESS' and rollback_to_deployment_id is null)::int as "deployments",
  count(*) filter (where rollback_to_deployment_id is null)::int as "changes",
  count(*) filter (where is_failure)::int as "failures",
  round(count(*) filter (where is_failure)::numeric
    / nullif(count(*) filter (where rollback_to_deployment_id is null), 0), 4)::float8 as "changeFailureRate",
  count(restored_after)::int as "restores",
  ${median(sql`restored_after`)} as "medianRestoreSeconds",
  count(committed_at) filter (where status = 'SUCCESS' and rollback_to_deployment_id is null)::int as "commitsKnown",
  ${median(sql`at - committed_at`, sql`status = 'SUCCESS' and rollback_to_deployment_id is null`)} as "medianLeadSeconds",
  ${percentile(0.9, sql`at - committed_at`, sql`status = 'SUCCESS' and rollback_to_deployment_id is null`)} as "p90LeadSeconds",
  ${median(sql`at - started_at`)} as "medianDurationSeconds"`

export const readDeliveries = (db: Db, wanted: Divided, most: Most): Promise<DeliveryReportRow[]> =>
  rowsOf(db, counted(deliveries(wanted), deliveryCounts, wanted, most))

const runs = (wanted: Wanted): SQL => sql`
  select r.status, r.created_at, r.started_at, r.completed_at as at, r.pipeline_id, p.project_id
  from pipeline_runs r join pipelines p on p.id = r.pipeline_id
  where r.organization_id = ${wanted.organizationId} and r.completed_at >= ${wanted.start.toISOString()}
    and r.completed_at < ${wanted.end.toISOString()}${ofPipelines(wanted)}`

/** A run is of its pipeline, and that of its project. */
const ofPipelines = ({ projectId, pipelineId }: Wanted): SQL =>
  sql`${projectId === undefined ? sql`` : sql` and p.project_id = ${projectId}`}${
    pipelineId === undefined ? sql`` : sql` and r.pipeline_id = ${pipelineId}`
  }`

const runCounts = sql`
  count(*)::int as "runs",
  count(*) filter (where status = 'SUCCESS')::int as "succeeded",
  count(*) filter (where status = 'ERROR')::int as "failed",
  count(*) filter (where status = 'CANCELLED')::int as "cancelled",
  round(count(*) filter (where status = 'ERROR')::numeric
    / nullif(count(*) filter (where status in ('SUCCESS', 'ERROR')), 0), 4)::float8 as "failureRate",
  ${median(sql`at - started_at`)} as "medianDurationSeconds",
  ${percentile(0.9, sql`at - started_at`)} as "p90DurationSeconds",
  ${median(sql`started_at - created_at`)} as "medianQueuedSeconds"`

export const readRuns = (db: Db, wanted: Divided, most: Most): Promise<RunReportRow[]> =>
  rowsOf(db, counted(runs(wanted), runCounts, wanted, most))

/** Moments in `approval` and `decision` are written in one form, so that they compare as texts: an index has them. */
const approvals = (wanted: Wanted): SQL => sql`
  select (s.approval->>'requestedAt')::timestamptz as at, s.status, s.decision->>'approved' as approved,
    (s.decision->>'at')::timestamptz as decided_at, r.pipeline_id, p.project_id
  from pipeline_step_executions s
    join pipeline_runs r on r.id = s.pipeline_run_id join pipelines p on p.id = r.pipeline_id
  where s.organization_id = ${wanted.organizationId} and s.approval is not null
    and s.approval->>'requestedAt' >= ${wanted.start.toISOString()}
    and s.approval->>'requestedAt' < ${wanted.end.toISOString()}${ofPipelines(wanted)}`

const approvalCounts = sql`
  count(*)::int as "requested",
  count(*) filter (where approved = 'true')::int as "approved",
  count(*) filter (where approved = 'false')::int as "rejected",
  count(*) filter (where approved is null and status <> 'PENDING_APPROVAL')::int as "expired",
  count(*) filter (where approved is null and status = 'PENDING_APPROVAL')::int as "waiting",
  ${median(sql`decided_at - at`)} as "medianWaitSeconds",
  round(extract(epoch from max(decided_at - at))::numeric, 3)::float8 as "longestWaitSeconds"`

export const readApprovals = (db: Db, wanted: Divided, most: Most): Promise<ApprovalReportRow[]> =>
  rowsOf(db, counted(approvals(wanted), approvalCounts, wanted, most))

/** The last deployment of an instance that had succeeded at a moment. */
const ranAt = (moment: Date): SQL => sql`
  select id, description from deployments
  where module_instance_id = ended.module_instance_id and status = 'SUCCESS' and completed_at < ${moment.toISOString()}
  order by completed_at desc limit 1`

export const readChanges = (db: Db, wanted: Wanted, most: Most): Promise<ChangeReportRow[]> =>
  rowsOf(
    db,
    sql`select i.id as "moduleInstanceId", i.name as "moduleInstanceName", i.project_id as "projectId",
        i.environment_id as "environmentId", ended.deployments, ended.failures,
        before.id as "fromDeploymentId", before.description as "fromDescription",
        after.id as "toDeploymentId", after.description as "toDescription",
        before.id is distinct from after.id as "isChanged"
      from (
        select d.module_instance_id, count(*)::int as deployments,
          count(*) filter (where d.status in ('ERROR', 'ROLLED_BACK'))::int as failures
        from deployments d
        where d.organization_id = ${wanted.organizationId} and d.completed_at >= ${wanted.start.toISOString()}
          and d.completed_at < ${wanted.end.toISOString()}${within(sql`d`, wanted)}
        group by 1
      ) as ended
      join module_instances i on i.id = ended.module_instance_id
      left join lateral (${ranAt(wanted.start)}) as before on true
      left join lateral (${ranAt(wanted.end)}) as after on true
      order by i.name, i.id limit ${most}`,
  )

/** What is null is not there on the wire. */
async function rowsOf<Row>(db: Db, query: SQL): Promise<Row[]> {
  const { rows } = (await db.execute(query)) as unknown as { rows: Record<string, unknown>[] }
  return rows.map(({ begin: _, group_id: __, ...row }) => withoutNulls(row) as Row)
}

const withoutNulls = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
