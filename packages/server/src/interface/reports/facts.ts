import { grantedPermissionsOf, grantedRoles } from '@sluice/contract'
import { unfinishedDeploymentStatuses } from '@sluice/contract/states'
import { type SQL, sql } from '../../platform/db/drizzle.ts'

/** Subject of a report: organization, period, and optional filters by id. */
export type ReportFilter = {
  organizationId: string
  start: Date
  end: Date
  projectId?: string | undefined
  environmentId?: string | undefined
  moduleInstanceId?: string | undefined
  teamId?: string | undefined
  pipelineId?: string | undefined
  stepId?: string | undefined
}

const releasing = grantedRoles.filter((role) =>
  (grantedPermissionsOf[role] as readonly string[]).includes('deployments:write'),
)

const oneOf = (words: readonly string[]): SQL =>
  sql.join(
    words.map((word) => sql`${word}`),
    sql`, `,
  )

/**
 * Query for the environments in which each team can release. Roles on a project do not count in a restricted
 * environment.
 */
export const placesOfTeams = (organizationId: string): SQL => sql`
  select distinct g.team_id, e.id as environment_id
  from role_grants g join environments e on e.project_id = g.project_id
    and (e.id = g.environment_id or (g.environment_id is null and not e.restricted))
  where g.organization_id = ${organizationId} and g.team_id is not null and g.role in (${oneOf(releasing)})`

/** Returns the condition for the filters; `of` is the table or alias with the columns. */
export function reportFilterCondition(
  of: SQL,
  { organizationId, projectId, environmentId, moduleInstanceId, teamId }: ReportFilter,
): SQL {
  const ids = {
    project_id: projectId,
    environment_id: environmentId,
    module_instance_id: moduleInstanceId,
  }
  const conditions = Object.entries(ids).flatMap(([column, id]) =>
    id === undefined ? [] : [sql` and ${of}.${sql.identifier(column)} = ${id}`],
  )
  if (teamId !== undefined) {
    conditions.push(sql` and ${of}.environment_id in (
      select environment_id from (${placesOfTeams(organizationId)}) as places where team_id = ${teamId})`)
  }
  return sql.join(conditions)
}

/**
 * Query for finished deployments, each with its successors on the same instance, because a later one may have repaired
 * a failure. Windows run backwards, so that each row only adds to the previous result.
 */
export const deliveries = (wanted: ReportFilter): SQL => sql`
  select *, case
      when not is_failure then null
      when status = 'ROLLED_BACK' then at - coalesce(rollback_at, started_at)
      else next_success_at - at
    end as restored_after
  from (
    select *, rollback_to_deployment_id is null and status <> 'SUCCESS'
        or rollback_to_deployment_id is null and coalesce(is_undone, false) as is_failure
    from (
      select d.id, d.status, d.started_at, d.completed_at as at, d.project_id, d.environment_id, d.module_instance_id,
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
        and d.status in ('SUCCESS', 'ERROR', 'ROLLED_BACK')${reportFilterCondition(sql`d`, wanted)}
      window backwards as (partition by d.module_instance_id order by d.completed_at desc, d.id desc)
    ) as followed
  ) as judged
  where at < ${wanted.end.toISOString()}`

/**
 * Query for pauses of deployments by start time. A pause ends when it is continued, when the deployment rolls back, or
 * with the deployment. Skips deployments that ended before the period.
 */
export const pauses = (wanted: ReportFilter): SQL => sql`
  select d.id, d.status, d.project_id, d.environment_id, d.module_instance_id, paused.at, ended.is_continued,
    coalesce(ended.at, d.completed_at) - paused.at as waited_for
  from deployments d
    cross join lateral (
      select (event->>'startedAt')::timestamptz as at, event->>'hookId' as hook_id
      from jsonb_array_elements(d.data->'events') as event where event->>'stepCode' = 'PAUSED') as paused
    left join lateral (
      select (event->>'startedAt')::timestamptz as at, event->>'stepCode' = 'CONTINUED' as is_continued
      from jsonb_array_elements(d.data->'events') as event
      where (event->>'startedAt')::timestamptz >= paused.at and (event->>'stepCode' = 'ROLLBACK_STARTED'
        or event->>'stepCode' = 'CONTINUED' and event->>'hookId' = paused.hook_id)
      order by 1 limit 1) as ended on true
  where d.organization_id = ${wanted.organizationId} and d.created_at < ${wanted.end.toISOString()}
    and (d.completed_at >= ${wanted.start.toISOString()} or d.status in (${oneOf(unfinishedDeploymentStatuses)}))
    and paused.at >= ${wanted.start.toISOString()} and paused.at < ${wanted.end.toISOString()}${reportFilterCondition(sql`d`, wanted)}`

export const runs = (wanted: ReportFilter): SQL => sql`
  select r.id as run_id, r.status, r.created_at, r.started_at, r.completed_at as at, r.pipeline_id, p.project_id
  from pipeline_runs r join pipelines p on p.id = r.pipeline_id
  where r.organization_id = ${wanted.organizationId} and r.completed_at >= ${wanted.start.toISOString()}
    and r.completed_at < ${wanted.end.toISOString()}${ofPipelines(wanted)}`

/** Returns the condition for runs by pipeline and project. */
const ofPipelines = ({ projectId, pipelineId }: ReportFilter): SQL =>
  sql`${projectId === undefined ? sql`` : sql` and p.project_id = ${projectId}`}${
    pipelineId === undefined ? sql`` : sql` and r.pipeline_id = ${pipelineId}`
  }`

/**
 * Query for approvals. Times in `approval` and `decision` have a fixed format, so that they can be compared as text
 * with an index.
 */
export const approvals = (wanted: ReportFilter): SQL => sql`
  select s.id as step_execution_id, s.pipeline_run_id as run_id, (s.approval->>'requestedAt')::timestamptz as at, s.status, s.decision->>'approved' as approved,
    (s.decision->>'at')::timestamptz as decided_at, r.pipeline_id, p.project_id
  from pipeline_step_executions s
    join pipeline_runs r on r.id = s.pipeline_run_id join pipelines p on p.id = r.pipeline_id
  where s.organization_id = ${wanted.organizationId} and s.approval is not null
    and s.approval->>'requestedAt' >= ${wanted.start.toISOString()}
    and s.approval->>'requestedAt' < ${wanted.end.toISOString()}${ofPipelines(wanted)}`

/**
 * Query for ended steps that were executed in their run. Excludes steps that only wait for approval, which are reported
 * as approvals.
 */
export const steps = (wanted: ReportFilter): SQL => sql`
  select s.id as step_execution_id, r.id as run_id, r.pipeline_id, p.project_id, s.step_id, s.step_name, s.step_type,
    s.status, s.completed_at as at, s.started_at
  from pipeline_runs r join pipelines p on p.id = r.pipeline_id
    join pipeline_step_executions s on s.pipeline_run_id = r.id
  where r.organization_id = ${wanted.organizationId} and r.completed_at >= ${wanted.start.toISOString()}
    and r.completed_at < ${wanted.end.toISOString()}${ofPipelines(wanted)}${
      wanted.stepId === undefined ? sql`` : sql` and s.step_id = ${wanted.stepId}`
    }
    and s.status in ('SUCCESS', 'ERROR') and s.step_type <> 'approval' and s.status_detail->'takenOver' is null`
