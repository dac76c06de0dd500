import { and, asc, eq, lte, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { now as atNow } from '../../platform/db/sweeps.ts'
import {
  type PipelineRow,
  type PipelineScheduleRow,
  type PipelineVersionRow,
  pipelineSchedules,
  pipelines,
  pipelineVersions,
} from '../pipelines/tables.ts'

/** Pipeline with its latest version, whose triggers apply. */
export type Triggered = { pipeline: PipelineRow; version: PipelineVersionRow }

const latest = and(eq(pipelineVersions.pipelineId, pipelines.id), eq(pipelineVersions.version, pipelines.latestVersion))

/** Returns the pipelines with a trigger that has these properties, oldest first. */
export function pipelinesTriggeredBy(
  db: Db,
  organizationId: string,
  trigger: Record<string, string>,
): Promise<Triggered[]> {
  const hasTrigger = sql`${pipelineVersions.config} -> 'triggers' @> ${JSON.stringify([trigger])}::jsonb`
  return db
    .select({ pipeline: pipelines, version: pipelineVersions })
    .from(pipelines)
    .innerJoin(pipelineVersions, latest)
    .where(and(eq(pipelines.organizationId, organizationId), hasTrigger))
    .orderBy(asc(pipelines.id))
}

export async function findTriggered(
  db: Db,
  { organizationId, pipelineId }: Pick<PipelineScheduleRow, 'organizationId' | 'pipelineId'>,
): Promise<Triggered | undefined> {
  const [row] = await db
    .select({ pipeline: pipelines, version: pipelineVersions })
    .from(pipelines)
    .innerJoin(pipelineVersions, latest)
    .where(and(eq(pipelines.organizationId, organizationId), eq(pipelines.id, pipelineId)))
  return row
}

/** Replaces the schedules of a pipeline. */
export async function replaceSchedules(
  tx: Db,
  organizationId: string,
  pipelineId: string,
  schedules: Omit<PipelineScheduleRow, 'organizationId' | 'pipelineId'>[],
): Promise<void> {
  await tx
    .delete(pipelineSchedules)
    .where(and(eq(pipelineSchedules.organizationId, organizationId), eq(pipelineSchedules.pipelineId, pipelineId)))
  if (schedules.length === 0) return
  await tx.insert(pipelineSchedules).values(schedules.map((one) => ({ ...one, organizationId, pipelineId })))
}

/** Query that returns a row if a schedule of any organization is due. */
export const schedulesAreDue = sql`select 1 from ${pipelineSchedules} where ${lte(pipelineSchedules.nextAt, atNow)}`

/**
 * Returns the schedule that is overdue for the longest time, of any organization, and locks it until the end of the
 * transaction.
 */
export async function lockDueSchedule(tx: Db, now: Date): Promise<PipelineScheduleRow | undefined> {
  const [row] = await tx
    .select()
    .from(pipelineSchedules)
    .where(lte(pipelineSchedules.nextAt, now))
    .orderBy(asc(pipelineSchedules.nextAt))
    .limit(1)
    .for('update', { skipLocked: true })
  return row
}

const one = ({ organizationId, pipelineId, position }: PipelineScheduleRow) =>
  and(
    eq(pipelineSchedules.organizationId, organizationId),
    eq(pipelineSchedules.pipelineId, pipelineId),
    eq(pipelineSchedules.position, position),
  )

/** Sets when a schedule is due next, or deletes it if it never is again. */
export async function setNextTime(tx: Db, schedule: PipelineScheduleRow, nextAt: Date | undefined): Promise<void> {
  if (nextAt) await tx.update(pipelineSchedules).set({ nextAt }).where(one(schedule))
  else await tx.delete(pipelineSchedules).where(one(schedule))
}
