import type { DeploymentStatus, DeploymentType } from '@sluice/contract'
import { certificates } from '../../cloud/certificates/tables.ts'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { infrastructureEvents } from '../../delivery/infrastructure-events/tables.ts'
import { previewEnvironments } from '../../infrastructure/preview-environments/tables.ts'
import { notificationChannels } from '../../notifications/notification-channels/tables.ts'
import { slackInteractions } from '../../notifications/slack-presses/tables.ts'
import { gitDeliveries } from '../../pipelines/git-deliveries/tables.ts'
import { pipelineRuns, pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { onlineTimeoutMs } from '../../pipelines/runner-pools/machine.ts'
import { runnerTasks } from '../../pipelines/runner-tasks/tables.ts'
import { eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { watchedPullRequests, watchedRepositories } from '../watched-repositories/tables.ts'

/** Unfinished records with the same state. */
export type UnfinishedRecords = {
  kind: 'deployment' | 'run' | 'step'
  /** For deployments their type; for waiting steps the reason; otherwise empty. */
  detail: string
  status: string
  count: number
  /** Age of the oldest of them, in seconds. */
  eldestS: number
  /** Number of overdue ones. */
  overdue: number
}

/**
 * Time in milliseconds after which a record counts as overdue, as in the reconciler: a message was lost, or the engine
 * is slow.
 */
const graceMs = 3_000

/** Returns the unfinished work of all organizations. Uses partial indexes, so that finished records are not read. */
export async function findUnfinished(db: Db, now: Date): Promise<UnfinishedRecords[]> {
  const late = new Date(now.getTime() - graceMs).toISOString()
  const columns = sql`count(*)::int as count,
    extract(epoch from ${now.toISOString()}::timestamptz - min(created_at))::float as "eldestS",
    count(*) filter (where wake_at < ${late}::timestamptz)::int as overdue`
  const { rows } = (await db.execute(sql`
    select 'deployment' as kind, deployment_type as detail, status, ${columns}
    from deployments where wake_at is not null group by 2, 3
    union all
    select 'run', '', status, ${columns} from pipeline_runs where wake_at is not null group by 3
    union all
    select 'step', case when status = 'QUEUED' then queue_reason else '' end, status, ${columns}
    from pipeline_step_executions
    where wake_at is not null
      or (status = 'QUEUED' and queue_reason in ('RUNNER_CAPACITY', 'STACK_LOCKED'))
      or (status = 'IN_PROGRESS' and runner_id is not null)
    group by 2, 3`)) as unknown as { rows: UnfinishedRecords[] }
  return rows
}

/** Tables with scheduled work, by their names in metrics. */
const waking = {
  deployment: deployments,
  run: pipelineRuns,
  step: pipelineStepExecutions,
  runner_task: runnerTasks,
  cloud_event: infrastructureEvents,
  certificate: certificates,
  git_delivery: gitDeliveries,
  notification_channel: notificationChannels,
  preview_environment: previewEnvironments,
  slack_press: slackInteractions,
  watched_pull_request: watchedPullRequests,
  watched_repository: watchedRepositories,
} as const

export type Stalled = { kind: keyof typeof waking; seconds: number }

/** Returns how long the oldest overdue record of each type has been waiting; 0 if there is none. Uses an index. */
export async function findStalled(db: Db, now: Date): Promise<Stalled[]> {
  const at = sql`${now.toISOString()}::timestamptz`
  const each = Object.entries(waking).map(
    ([kind, table]) =>
      sql`select ${kind}::text as kind, coalesce(extract(epoch from ${at} - min(wake_at)), 0)::float8 as seconds
        from ${table} where wake_at < ${at}`,
  )
  const { rows } = (await db.execute(sql.join(each, sql` union all `))) as unknown as { rows: Stalled[] }
  return rows
}

export type Ended = { deploymentType: DeploymentType; status: DeploymentStatus; count: number }

/** Period over which finished deployments are counted. */
const recently = sql`interval '1 hour'`

/** Counts the deployments that ended in the last hour. Reads one index range per organization. */
export async function findEnded(db: Db, now: Date): Promise<Ended[]> {
  const { rows } = (await db.execute(sql`
    select deployment_type as "deploymentType", status, count(*)::int as count
    from organizations cross join lateral (
      select deployment_type, status from deployments
      where organization_id = organizations.id and completed_at > ${now.toISOString()}::timestamptz - ${recently}
    ) as ended
    group by 1, 2`)) as unknown as { rows: Ended[] }
  return rows
}

/** Counts the enabled notification channels, and those that have been failing since their last delivery. */
export async function countChannels(db: Db): Promise<{ enabled: number; failing: number }> {
  const { failingSince, enabled } = notificationChannels
  const [found] = await db
    .select({ enabled: sql<number>`count(*)::int`, failing: sql<number>`count(${failingSince})::int` })
    .from(notificationChannels)
    .where(eq(enabled, true))
  return found ?? { enabled: 0, failing: 0 }
}

export type Waiting = { events: number; online: number; offline: number }

/** Counts the pending cloud events, and the organizations' runners by whether they are online. */
export async function findWaiting(db: Db, now: Date): Promise<Waiting> {
  const since = new Date(now.getTime() - onlineTimeoutMs).toISOString()
  const { rows } = (await db.execute(sql`select
    (select count(*) from infrastructure_events where wake_at is not null)::int as events,
    count(*) filter (where last_seen_at >= ${since}::timestamptz)::int as online,
    count(*) filter (where last_seen_at < ${since}::timestamptz)::int as offline
    from runners`)) as unknown as { rows: Waiting[] }
  return rows[0] ?? { events: 0, online: 0, offline: 0 }
}
