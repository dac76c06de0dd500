import { serviceAuthor } from '../../identity/audit-events/author.ts'
import type { Db } from '../../platform/db/open.ts'
import { runAsOrganization } from '../../platform/db/organization.ts'
import type { Sweep } from '../../platform/db/sweeps.ts'
import type { Engine } from '../../platform/engine/client.ts'
import { notifyEngine } from '../../platform/engine/tell.ts'
import { messagesOf } from '../pipeline-runs/recipients.ts'
import { nextTime } from '../pipeline-versions/config/schedule.ts'
import type { PipelineConfig } from '../pipeline-versions/config/schema.ts'
import { configOf } from '../pipeline-versions/config/steps.ts'
import type { PipelineScheduleRow } from '../pipelines/tables.ts'
import { startTriggered, type TriggerParts } from './start-triggered.ts'
import { findTriggered, lockDueSchedule, replaceSchedules, schedulesAreDue, setNextTime } from './store.ts'

/** Replaces the schedules of a pipeline with those of its new version. */
export function adoptSchedules(
  tx: Db,
  { organizationId, pipelineId }: { organizationId: string; pipelineId: string },
  { triggers = [] }: PipelineConfig,
  now: Date,
): Promise<void> {
  const schedules = triggers.flatMap((trigger, position) => {
    if (trigger.type !== 'schedule') return []
    const { cron, time_zone: timeZone = 'UTC' } = trigger
    const nextAt = nextTime(cron, timeZone, now)
    return nextAt ? [{ position, cron, timeZone, nextAt }] : []
  })
  return replaceSchedules(tx, organizationId, pipelineId, schedules)
}

export type ScheduleParts = TriggerParts & { db: Db; engine: Engine; clock: () => Date }

/** Maximum number of runs that one round starts; the next round follows soon. */
const maxRunsPerRound = 100

/** Starts each due run once, even with several processes. Returns the number of due schedules. */
export async function startDue(parts: ScheduleParts): Promise<number> {
  const { db, clock } = parts
  for (let due = 0; due < maxRunsPerRound; due++) {
    const started = await db.transaction((tx) => startNextDue(tx, parts, clock()))
    if (!started) return due
    await notifyEngine(parts, messagesOf({ runs: started }))
  }
  return maxRunsPerRound
}

/** Returns the ids of the started runs; undefined if no schedule is due. */
async function startNextDue(tx: Db, parts: TriggerParts, now: Date): Promise<string[] | undefined> {
  const schedule = await lockDueSchedule(tx, now)
  if (!schedule) return undefined
  const { cron, timeZone } = schedule
  return runAsOrganization(tx, schedule.organizationId, async () => {
    const runs = await startScheduled(tx, schedule, parts, now)
    // From now on, because missed times result in a single run.
    await setNextTime(tx, schedule, nextTime(cron, timeZone, now))
    return runs
  })
}

async function startScheduled(
  tx: Db,
  schedule: PipelineScheduleRow,
  parts: TriggerParts,
  now: Date,
): Promise<string[]> {
  const { position, cron, timeZone, nextAt } = schedule
  const triggered = await findTriggered(tx, schedule)
  const config = triggered && configOf(triggered.version).triggers?.[position]
  // The pipeline is being changed, and its schedules are about to be replaced.
  if (!triggered || config?.type !== 'schedule') return []
  const trigger = { kind: 'schedule', payload: { at: nextAt.toISOString(), cron, time_zone: timeZone } } as const
  const triggeredBy = `the schedule ${cron} (${timeZone})`
  const author = serviceAuthor(schedule.organizationId, 'SCHEDULE')
  return startTriggered(tx, triggered, { config, trigger, author, triggerSource: 'SCHEDULE', triggeredBy }, parts, now)
}

/** Periodic task that starts scheduled runs. */
export const scheduleTask = (parts: ScheduleParts): Sweep => ({
  what: 'runs of schedules',
  due: schedulesAreDue,
  sweep: () => startDue(parts),
})
