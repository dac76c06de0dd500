import type { DeliveryFigure, DeliveryRecordRow, RunFigure, RunRecordRow } from '@sluice/contract'
import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { approvals, deliveries, pauses, type ReportFilter, runs, steps } from './facts.ts'
import { rowsOf } from './store.ts'

/** Records that a figure counts: the facts, their condition, and the measured value. */
type Counted = { facts: (wanted: ReportFilter) => SQL; where: SQL; measure: SQL }

const took = sql`at - started_at`
const isForward = sql`rollback_to_deployment_id is null`
const isDeployed = sql`status = 'SUCCESS' and ${isForward}`

const ofDeliveries = (where: SQL, measure = took): Counted => ({ facts: deliveries, where, measure })
const ofPauses = (where: SQL): Counted => ({ facts: pauses, where, measure: sql`waited_for` })

const deliveryFigures = {
  DEPLOYMENTS: ofDeliveries(isDeployed),
  CHANGES: ofDeliveries(isForward),
  FAILURES: ofDeliveries(sql`is_failure`),
  RESTORES: ofDeliveries(sql`restored_after is not null`, sql`restored_after`),
  COMMITS_KNOWN: ofDeliveries(sql`committed_at is not null and ${isDeployed}`, sql`at - committed_at`),
  PAUSES: ofPauses(sql`true`),
  PAUSES_WAITING: ofPauses(sql`waited_for is null`),
} as const satisfies Record<DeliveryFigure, Counted>

const ofRuns = (where: SQL): Counted => ({ facts: runs, where, measure: took })
const ofApprovals = (where: SQL): Counted => ({ facts: approvals, where, measure: sql`decided_at - at` })
const ofSteps = (where: SQL): Counted => ({ facts: steps, where, measure: took })

const runFigures = {
  RUNS: ofRuns(sql`true`),
  SUCCEEDED: ofRuns(sql`status = 'SUCCESS'`),
  FAILED: ofRuns(sql`status = 'ERROR'`),
  CANCELLED: ofRuns(sql`status = 'CANCELLED'`),
  APPROVALS_REQUESTED: ofApprovals(sql`true`),
  APPROVALS_APPROVED: ofApprovals(sql`approved = 'true'`),
  APPROVALS_REJECTED: ofApprovals(sql`approved = 'false'`),
  APPROVALS_EXPIRED: ofApprovals(sql`approved is null and status <> 'PENDING_APPROVAL'`),
  APPROVALS_WAITING: ofApprovals(sql`approved is null and status = 'PENDING_APPROVAL'`),
  STEPS: ofSteps(sql`true`),
  STEPS_FAILED: ofSteps(sql`status = 'ERROR'`),
} as const satisfies Record<RunFigure, Counted>

/** Number of records that a figure counts, and the latest of them. */
type Records<Row> = { total: number; rows: Row[] }

export const readDeliveryRecords = (
  db: Db,
  wanted: ReportFilter,
  figure: DeliveryFigure,
  limit: number,
): Promise<Records<DeliveryRecordRow>> =>
  readRecords(db, wanted, {
    counted: deliveryFigures[figure],
    limit,
    id: sql`id`,
    columns: sql`d.id as "deploymentId", d.description, d.status, d.project_id as "projectId",
      d.environment_id as "environmentId", e.name as "environmentName",
      d.module_instance_id as "moduleInstanceId", i.name as "moduleInstanceName"`,
    joins: sql`join deployments d on d.id = found.id join environments e on e.id = d.environment_id
      join module_instances i on i.id = d.module_instance_id`,
  })

export const readRunRecords = (
  db: Db,
  wanted: ReportFilter,
  figure: RunFigure,
  limit: number,
): Promise<Records<RunRecordRow>> => {
  const counted = runFigures[figure]
  const isOfSteps = counted.facts !== runs
  return readRecords(db, wanted, {
    counted,
    limit,
    id: isOfSteps ? sql`run_id, step_execution_id` : sql`run_id`,
    columns: sql`r.id as "pipelineRunId", r.number as "runNumber", p.id as "pipelineId", p.name as "pipelineName",
      p.project_id as "projectId", ${
        isOfSteps ? sql`s.id as "stepExecutionId", s.step_name as "stepName", s.status` : sql`r.status`
      }`,
    joins: sql`join pipeline_runs r on r.id = found.run_id join pipelines p on p.id = r.pipeline_id${
      isOfSteps ? sql` join pipeline_step_executions s on s.id = found.step_execution_id` : sql``
    }`,
  })
}

type Shape = {
  counted: Counted
  limit: number
  /** Id of a record among the facts. */
  id: SQL
  /** Returned columns, and their tables. */
  columns: SQL
  joins: SQL
}

/** Reads the names only of the returned records, not of all counted ones. */
async function readRecords<Row>(db: Db, wanted: ReportFilter, shape: Shape): Promise<Records<Row>> {
  const { counted, limit, id, columns, joins } = shape
  const rows = await rowsOf<Row & { total: number }>(
    db,
    sql`with found as (
      select ${id}, at, ${counted.measure} as measured, count(*) over ()::int as total,
        row_number() over (order by at desc, ${id}) as place
      from (${counted.facts(wanted)}) as facts where ${counted.where} order by place limit ${limit})
    select ${columns}, to_char(found.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
      round(extract(epoch from measured)::numeric, 3)::float8 as seconds, total
    from found ${joins} order by place`,
  )
  return { total: rows[0]?.total ?? 0, rows: rows.map(({ total: _, ...row }) => row as Row) }
}
