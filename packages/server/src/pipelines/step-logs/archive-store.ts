import { unfinishedStepStatuses } from '@sluice/contract'
import {
  and,
  asc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  notInArray,
  sql,
} from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { pipelineStepExecutions, type StepLogChunkRow, stepLogChunks } from '../pipelines/tables.ts'
import { type ArchivedStepLogRow, archivedStepLogs } from './tables.ts'

/** Ended step whose log is to be archived. */
export type EndedStep = { id: string; organizationId: string }

/** Maximum number of steps per statement. */
const stepsAtOnce = 200

/**
 * Returns the ended ones among the next steps after `after` with a log in the database, and the last examined id. Reads
 * one index entry per step, regardless of the size of its log.
 */
export async function endedSteps(
  db: Db,
  { after, by }: { after: string; by: Date },
): Promise<{ over: EndedStep[]; last: string | undefined }> {
  const found = (await db.execute(sql`
    with recursive logged as (
      (select step_execution_id as id, 1 as nth from step_log_chunks
        where step_execution_id > ${after} order by step_execution_id limit 1)
      union all
      select (select step_execution_id from step_log_chunks
        where step_execution_id > logged.id order by step_execution_id limit 1), nth + 1
      from logged where logged.id is not null and nth < ${stepsAtOnce}
    )
    select id from logged where id is not null order by id`)) as unknown as { rows: { id: string }[] }
  const ids = found.rows.map(({ id }) => id)
  if (ids.length === 0) return { over: [], last: undefined }
  const { id, organizationId, status, completedAt } = pipelineStepExecutions
  const over = await db
    .select({ id, organizationId })
    .from(pipelineStepExecutions)
    .where(and(inArray(id, ids), notInArray(status, [...unfinishedStepStatuses]), lt(completedAt, by)))
    .orderBy(asc(id))
  return { over, last: ids.at(-1) }
}

/** Returns the sizes of a step's first chunks. */
export function chunkSizes(db: Db, { organizationId, id }: EndedStep, most: number) {
  const { sequence, text } = stepLogChunks
  return db
    .select({ sequence, bytes: sql<number>`octet_length(${text})` })
    .from(stepLogChunks)
    .where(and(eq(stepLogChunks.organizationId, organizationId), eq(stepLogChunks.stepExecutionId, id)))
    .orderBy(asc(sequence))
    .limit(most)
}

/**
 * Creates or resumes a section of an archived log, and leases it until `claimedUntil`. Returns undefined if another
 * process has the lease. A resumed section keeps its key and location.
 */
export async function leaseSection(
  db: Db,
  stretch: Omit<ArchivedStepLogRow, 'createdAt' | 'updatedAt' | 'storedAt'>,
  now: Date,
): Promise<ArchivedStepLogRow | undefined> {
  const { claimedUntil, storedAt, stepExecutionId, firstSequence } = archivedStepLogs
  const [row] = await db
    .insert(archivedStepLogs)
    .values(stretch)
    .onConflictDoUpdate({
      target: [stepExecutionId, firstSequence],
      set: { claimedUntil: stretch.claimedUntil, updatedAt: sql`now()` },
      setWhere: sql`${storedAt} is null and ${claimedUntil} <= ${now.toISOString()}`,
    })
    .returning()
  return row
}

const within = ({ organizationId, stepExecutionId, firstSequence, lastSequence }: ArchivedStepLogRow) =>
  and(
    eq(stepLogChunks.organizationId, organizationId),
    eq(stepLogChunks.stepExecutionId, stepExecutionId),
    gte(stepLogChunks.sequence, firstSequence),
    lte(stepLogChunks.sequence, lastSequence),
  )

/** Returns the chunks of a section; undefined if some are missing because another process has archived them. */
export async function chunksOf(db: Db, stretch: ArchivedStepLogRow): Promise<StepLogChunkRow[] | undefined> {
  const chunks = await db.select().from(stepLogChunks).where(within(stretch)).orderBy(asc(stepLogChunks.sequence))
  return chunks.length === stretch.chunkCount ? chunks : undefined
}

/** Records that the archive object is complete, and deletes the chunks. */
export function recordStored(db: Db, stretch: ArchivedStepLogRow, now: Date): Promise<void> {
  return db.transaction(async (tx) => {
    const [stored] = await tx
      .update(archivedStepLogs)
      .set({ storedAt: now, updatedAt: sql`now()` })
      .where(and(eq(archivedStepLogs.id, stretch.id), isNull(archivedStepLogs.storedAt)))
      .returning({ id: archivedStepLogs.id })
    if (stored) await tx.delete(stepLogChunks).where(within(stretch))
  })
}

/** Returns the first archived section with chunks after the number `after`. */
export async function findSection(
  db: Db,
  organizationId: string,
  stepExecutionId: string,
  after: number,
): Promise<ArchivedStepLogRow | undefined> {
  const [row] = await db
    .select()
    .from(archivedStepLogs)
    .where(
      and(
        eq(archivedStepLogs.organizationId, organizationId),
        eq(archivedStepLogs.stepExecutionId, stepExecutionId),
        gt(archivedStepLogs.lastSequence, after),
        isNotNull(archivedStepLogs.storedAt),
      ),
    )
    .orderBy(asc(archivedStepLogs.firstSequence))
    .limit(1)
  return row
}
