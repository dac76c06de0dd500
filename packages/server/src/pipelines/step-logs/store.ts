import { and, asc, desc, eq, gt, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type AttemptKey, isPresentAttempt } from '../pipeline-step-executions/present-attempt.ts'
import { pipelineStepExecutions, type StepLogChunkRow, stepLogChunks } from '../pipelines/tables.ts'

const ofStep = (organizationId: string, stepExecutionId: string) =>
  and(eq(stepLogChunks.organizationId, organizationId), eq(stepLogChunks.stepExecutionId, stepExecutionId))

export type NewChunk = Pick<StepLogChunkRow, 'sequence' | 'writtenAt' | 'text' | 'offsets'>

/**
 * Stores what an attempt wrote, once: a piece that is sent again changes nothing. False if another attempt is under way
 * by now, or none.
 */
export async function insertChunk(db: Db, attempt: AttemptKey, chunk: NewChunk): Promise<boolean> {
  const row = db
    .select({
      organizationId: pipelineStepExecutions.organizationId,
      stepExecutionId: pipelineStepExecutions.id,
      sequence: sql<number>`${chunk.sequence}::int`.as('sequence'),
      attemptEpoch: pipelineStepExecutions.attemptEpoch,
      writtenAt: sql<Date>`${chunk.writtenAt.toISOString()}::timestamptz`.as('written_at'),
      text: sql<string>`${chunk.text}::text`.as('text'),
      offsets: sql<Record<string, number>>`${JSON.stringify(chunk.offsets)}::jsonb`.as('offsets'),
    })
    .from(pipelineStepExecutions)
    .where(isPresentAttempt(attempt))
  const { sequence } = stepLogChunks
  const inserted = await db.insert(stepLogChunks).select(row).onConflictDoNothing().returning({ sequence })
  return inserted.length > 0 || isStored(db, attempt, chunk.sequence)
}

async function isStored(db: Db, { organizationId, id, attemptEpoch }: AttemptKey, sequence: number): Promise<boolean> {
  const isIt = and(eq(stepLogChunks.sequence, sequence), eq(stepLogChunks.attemptEpoch, attemptEpoch))
  return (await db.$count(stepLogChunks, and(ofStep(organizationId, id), isIt))) > 0
}

/** The chunks that follow the one with the number `after`, in order. */
export function listChunks(
  db: Db,
  organizationId: string,
  stepExecutionId: string,
  { after, limit }: { after: number; limit: number },
): Promise<StepLogChunkRow[]> {
  return db
    .select()
    .from(stepLogChunks)
    .where(and(ofStep(organizationId, stepExecutionId), gt(stepLogChunks.sequence, after)))
    .orderBy(asc(stepLogChunks.sequence))
    .limit(limit)
}

export async function lastChunk(
  db: Db,
  organizationId: string,
  stepExecutionId: string,
): Promise<StepLogChunkRow | undefined> {
  const [row] = await db
    .select()
    .from(stepLogChunks)
    .where(ofStep(organizationId, stepExecutionId))
    .orderBy(desc(stepLogChunks.sequence))
    .limit(1)
  return row
}

/** How much of an attempt's log is stored. */
export async function storedBytes(db: Db, { organizationId, id, attemptEpoch }: AttemptKey): Promise<number> {
  const [row] = await db
    .select({ bytes: sql<number>`coalesce(sum(octet_length(${stepLogChunks.text})), 0)::int` })
    .from(stepLogChunks)
    .where(and(ofStep(organizationId, id), eq(stepLogChunks.attemptEpoch, attemptEpoch)))
  return row?.bytes ?? 0
}
