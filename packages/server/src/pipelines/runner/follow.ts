import type { Assignment } from '@sluice/contract/runner-protocol'
import { sql } from '../../platform/db/drizzle.ts'
import { prepared } from '../../platform/db/prepared.ts'
import type { Settled } from '../pipeline-runs/settle.ts'
import type { Follower } from '../pipeline-runs/start-following.ts'
import { type PipelineStepExecutionRow, pipelineStepExecutions as steps } from '../pipelines/tables.ts'
import { returnToQueue } from './claim.ts'
import type { ClaimsParts } from './claims.ts'

const isWaiting = sql`execution_environment_id is null and status = 'QUEUED' and queue_reason = 'RUNNER_CAPACITY'`

/**
 * Looks in both directions of the index from an organization, because a condition "any other" would read all of its own
 * steps.
 */
const turn = prepared((db) => {
  const own = sql`${sql.placeholder('organizationId')}::text`
  const first = sql`(select id from ${steps} where ${isWaiting} and organization_id = ${own} order by id limit 1)`
  const isAnybody = (where: ReturnType<typeof sql>) =>
    sql`exists (select from ${steps} where ${isWaiting} and ${where})`
  return db
    .select({
      oldestWaiting: sql<string | null>`${first}`.as('oldest_waiting'),
      isOthers: sql<boolean>`
        ${isAnybody(sql`organization_id < ${own}`)} or ${isAnybody(sql`organization_id > ${own}`)}`.as('is_others'),
    })
    .from(sql`(select) as one`)
    .prepare('find_turn_of_runner')
})

/**
 * Returns the runner that may continue after a step: a shared runner, unless steps of other organizations wait. In that
 * case, a lease request determines the next one.
 */
export async function followerOf(
  { db, clock, pace }: Pick<ClaimsParts, 'db' | 'clock' | 'pace'>,
  { organizationId, executionEnvironmentId, runnerId }: PipelineStepExecutionRow,
): Promise<Follower | undefined> {
  if (executionEnvironmentId !== null || runnerId === null) return undefined
  const [found] = await turn(db).execute({ organizationId })
  if (!found || found.isOthers) return undefined
  const leaseUntil = new Date(clock().getTime() + pace.leaseMs)
  return { runnerId, leaseUntil, oldestWaiting: found.oldestWaiting ?? undefined }
}

/** Returns the instructions for the next step. If that fails, the runner gets it with a lease request. */
export async function assignNext(
  { db, handOut, ready, log, tenancyOf }: ClaimsParts,
  { step, ...known }: NonNullable<Settled['next']>,
  gone: AbortSignal,
): Promise<Assignment | undefined> {
  try {
    const assigned = gone.aborted
      ? undefined
      : await handOut.assign(step, { isNew: true, tenancy: await tenancyOf({}), known })
    if (!gone.aborted) return assigned
    // The runner has stopped or died meanwhile, so that others need not wait for the end of its lease.
    await returnToQueue(db, [step])
    ready.tell()
  } catch (error) {
    log.warn({ err: error, step: step.id }, 'a step that was begun could not be handed out yet')
  }
  return undefined
}
