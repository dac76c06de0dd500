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

/** A pipeline with its latest version, the one whose triggers count. */
export type Triggered = { pipeline: PipelineRow; version: PipelineVersionRow }

const latest = and(eq(pipelineVersions.pipelineId, pipelines.id), eq(pipelineVersions.version, pipelines.latestVersion))

/** The pipelines with a trigger that has these properties, oldest first. */
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

/** Puts these schedules in the place of those that the pipeline had. */
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

/** Whether any is due, of any organization. */
export const schedulesAreDue = sql`select 1 from ${pipelineSchedules} where ${lte(pipelineSchedules.nextAt, atNow)}`

/** The schedule that is due longest, of any organization; no other process has it before the transaction ends. */
export async function claimDueSchedule(tx: Db, now: Date): Promise<PipelineScheduleRow | undefined> {
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

/** Sets when a schedule is due next; one that never is again goes. */
export async function moveSchedule(tx: Db, schedule: PipelineScheduleRow, nextAt: Date | undefined): Promise<void> {
  if (nextAt) await tx.update(pipelineSchedules).set({ nextAt }).where(one(schedule))
  else await tx.delete(pipelineSchedules).where(one(schedule))
}
