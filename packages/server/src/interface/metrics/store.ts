import type { DeploymentStatus, DeploymentType } from '@sluice/contract'
import { heardOfWithinMs } from '../../pipelines/runner-pools/machine.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'

/** Records of one state that are not over. */
export type Standing = {
  kind: 'deployment' | 'run' | 'step'
  /** Of deployments, their type; of steps that wait, what for; else empty. */
  detail: string
  status: string
  count: number
  /** Since the eldest of them was made. Seconds. */
  eldestS: number
  /** How many should have been looked at by now, and were not. */
  overdue: number
  /** How late the one that waits longest of them is. Seconds. */
  lateS: number
}

/** Later than this, a message was lost or the engine is behind. As the reconciler has it. */
const graceMs = 3_000

/** What is under way, in all organizations. By partial indexes: what is over is not read. */
export async function findStanding(db: Db, now: Date): Promise<Standing[]> {
  const late = new Date(now.getTime() - graceMs).toISOString()
  const columns = sql`count(*)::int as count,
    extract(epoch from ${now.toISOString()}::timestamptz - min(created_at))::float as "eldestS",
    count(*) filter (where wake_at < ${late}::timestamptz)::int as overdue,
    greatest(0, extract(epoch from ${now.toISOString()}::timestamptz - min(wake_at)))::float as "lateS"`
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
    group by 2, 3`)) as unknown as { rows: Standing[] }
  return rows
}

export type Ended = { deploymentType: DeploymentType; status: DeploymentStatus; count: number }

/** The time over which deployments are counted that ended. */
const recently = sql`interval '1 hour'`

/** Deployments that ended in the last hour. One look into the index of each organization: none of older ones. */
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

export type Waiting = { events: number; online: number; offline: number }

/** Events of cloud accounts that are not carried out yet, and runners of organizations by whether they are heard of. */
export async function findWaiting(db: Db, now: Date): Promise<Waiting> {
  const since = new Date(now.getTime() - heardOfWithinMs).toISOString()
  const { rows } = (await db.execute(sql`select
    (select count(*) from infrastructure_events where wake_at is not null)::int as events,
    count(*) filter (where last_seen_at >= ${since}::timestamptz)::int as online,
    count(*) filter (where last_seen_at < ${since}::timestamptz)::int as offline
    from runners`)) as unknown as { rows: Waiting[] }
  return rows[0] ?? { events: 0, online: 0, offline: 0 }
}
