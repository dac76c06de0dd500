import type {
  ApprovalReportRow,
  ChangeReportRow,
  DeliveryReportRow,
  PauseReportRow,
  ReportInterval,
  RunReportRow,
  StepReportOrder,
  StepReportRow,
} from '@sluice/contract'
import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import {
  approvals,
  deliveries,
  pauses,
  placesOfTeams,
  type ReportFilter,
  reportFilterCondition,
  runs,
  steps,
} from './facts.ts'

export type IntervalReportFilter = ReportFilter & {
  interval: ReportInterval
  groupBy?: keyof typeof groupColumns | undefined
}

/** Maximum number of rows to read: one more than allowed, to detect an excess. */
type Most = number

/** Columns with the id and the name for each grouping. */
const groupColumns = {
  PROJECT: { id: sql`project_id`, table: sql`projects` },
  ENVIRONMENT: { id: sql`environment_id`, table: sql`environments` },
  MODULE_INSTANCE: { id: sql`module_instance_id`, table: sql`module_instances` },
  TEAM: { id: sql`team_id`, table: sql`teams` },
  PIPELINE: { id: sql`pipeline_id`, table: sql`pipelines` },
} as const

const median = (value: SQL, condition?: SQL): SQL => percentile(0.5, value, condition)
const percentile = (share: number, value: SQL, condition: SQL = sql`true`): SQL =>
  sql`round((percentile_cont(${sql.raw(String(share))}) within group (order by extract(epoch from ${value}))
    filter (where ${condition}))::numeric, 3)::float8`

/** Query that counts the rows of `facts`, which have a time `at`, by interval and group. */
function counted(
  facts: SQL,
  counts: SQL,
  { organizationId, start, interval, groupBy }: IntervalReportFilter,
  most: Most,
): SQL {
  const whole = sql`${start.toISOString()}::timestamptz`
  const begin = interval === 'TOTAL' ? whole : sql`date_trunc(${interval.toLowerCase()}, at, 'UTC')`
  const group = groupBy && groupColumns[groupBy]
  const ofTeams = sql` join (${placesOfTeams(organizationId)}) as places using (environment_id)`
  return sql`with facts as (${facts}), counted as (
      select ${begin} as begin, ${group ? group.id : sql`null::text`} as group_id, ${counts}
      from facts${groupBy === 'TEAM' ? ofTeams : sql``} group by 1, 2)
    select to_char(begin at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "startTime",
      group_id as "groupId", ${group ? sql`named.name` : sql`null::text`} as "groupName", counted.*
    from counted ${group ? sql`left join ${group.table} as named on named.id = group_id` : sql``}
    order by begin, group_id limit ${most}`
}

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

export const readDeliveries = (db: Db, wanted: IntervalReportFilter, most: Most): Promise<DeliveryReportRow[]> =>
  rowsOf(db, counted(deliveries(wanted), deliveryCounts, wanted, most))

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

export const readRuns = (db: Db, wanted: IntervalReportFilter, most: Most): Promise<RunReportRow[]> =>
  rowsOf(db, counted(runs(wanted), runCounts, wanted, most))

const approvalCounts = sql`
  count(*)::int as "requested",
  count(*) filter (where approved = 'true')::int as "approved",
  count(*) filter (where approved = 'false')::int as "rejected",
  count(*) filter (where approved is null and status <> 'PENDING_APPROVAL')::int as "expired",
  count(*) filter (where approved is null and status = 'PENDING_APPROVAL')::int as "waiting",
  ${median(sql`decided_at - at`)} as "medianWaitSeconds",
  round(extract(epoch from max(decided_at - at))::numeric, 3)::float8 as "longestWaitSeconds"`

export const readApprovals = (db: Db, wanted: IntervalReportFilter, most: Most): Promise<ApprovalReportRow[]> =>
  rowsOf(db, counted(approvals(wanted), approvalCounts, wanted, most))

const pauseCounts = sql`
  count(*)::int as "pauses",
  count(*) filter (where is_continued)::int as "continued",
  count(*) filter (where waited_for is not null and is_continued is not true)::int as "ended",
  count(*) filter (where waited_for is null)::int as "waiting",
  ${median(sql`waited_for`)} as "medianWaitSeconds",
  round(extract(epoch from max(waited_for))::numeric, 3)::float8 as "longestWaitSeconds"`

export const readPauses = (db: Db, wanted: IntervalReportFilter, most: Most): Promise<PauseReportRow[]> =>
  rowsOf(db, counted(pauses(wanted), pauseCounts, wanted, most))

const stepOrders = {
  MOST_FAILED: sql`"failed" desc, "failureRate" desc`,
  SLOWEST: sql`"medianDurationSeconds" desc nulls last`,
} as const satisfies Record<StepReportOrder, SQL>

export const readSteps = (db: Db, wanted: ReportFilter, order: StepReportOrder, most: Most): Promise<StepReportRow[]> =>
  rowsOf(
    db,
    sql`with facts as (${steps(wanted)})
      select pipeline_id as "pipelineId", p.name as "pipelineName", p.project_id as "projectId", counted.*
      from (
        select pipeline_id, step_id as "stepId",
          (array_agg(step_name order by at desc))[1] as "stepName",
          (array_agg(step_type order by at desc))[1] as "stepType",
          count(*)::int as "executions",
          count(*) filter (where status = 'ERROR')::int as "failed",
          round(count(*) filter (where status = 'ERROR')::numeric / count(*), 4)::float8 as "failureRate",
          ${median(sql`at - started_at`)} as "medianDurationSeconds",
          ${percentile(0.9, sql`at - started_at`)} as "p90DurationSeconds"
        from facts group by pipeline_id, step_id
      ) as counted join pipelines p on p.id = pipeline_id
      order by ${stepOrders[order]}, "executions" desc, pipeline_id, "stepId" limit ${most}`,
  )

/** Query for the last successful deployment of each instance at a time. */
const ranAt = (moment: Date): SQL => sql`
  select id, description from deployments
  where module_instance_id = ended.module_instance_id and status = 'SUCCESS' and completed_at < ${moment.toISOString()}
  order by completed_at desc limit 1`

export const readChanges = (db: Db, wanted: ReportFilter, most: Most): Promise<ChangeReportRow[]> =>
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
          and d.completed_at < ${wanted.end.toISOString()}${reportFilterCondition(sql`d`, wanted)}
        group by 1
      ) as ended
      join module_instances i on i.id = ended.module_instance_id
      left join lateral (${ranAt(wanted.start)}) as before on true
      left join lateral (${ranAt(wanted.end)}) as after on true
      order by i.name, i.id limit ${most}`,
  )

/** Removes nulls and helper columns, which responses do not have. */
export async function rowsOf<Row>(db: Db, query: SQL): Promise<Row[]> {
  const { rows } = (await db.execute(query)) as unknown as { rows: Record<string, unknown>[] }
  return rows.map(({ begin: _, group_id: __, pipeline_id: ___, ...row }) => withoutNulls(row) as Row)
}

const withoutNulls = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
