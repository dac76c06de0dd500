import { and, asc, desc, eq, gt, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { prepared } from '../../platform/db/prepared.ts'
import { storedBytesOf } from '../../platform/limits/stored.ts'
import type { AttemptKey } from '../pipeline-step-executions/present-attempt.ts'
import { pipelineStepExecutions, type StepLogChunkRow, stepLogChunks } from '../pipelines/tables.ts'

const ofStep = (organizationId: string, stepExecutionId: string) =>
  and(eq(stepLogChunks.organizationId, organizationId), eq(stepLogChunks.stepExecutionId, stepExecutionId))

export type NewChunk = Pick<StepLogChunkRow, 'sequence' | 'writtenAt' | 'text' | 'offsets'>

const insert = prepared((db) => {
  const { placeholder } = sql
  const row = db
    .select({
      organizationId: pipelineStepExecutions.organizationId,
      stepExecutionId: pipelineStepExecutions.id,
      sequence: sql<number>`${placeholder('sequence')}::int`.as('sequence'),
      attemptEpoch: pipelineStepExecutions.attemptEpoch,
      writtenAt: sql<Date>`${placeholder('writtenAt')}::timestamptz`.as('written_at'),
      text: sql<string>`${placeholder('text')}::text`.as('text'),
      offsets: sql<Record<string, number>>`${placeholder('offsets')}::jsonb`.as('offsets'),
    })
    .from(pipelineStepExecutions)
    .where(
      and(
        eq(pipelineStepExecutions.organizationId, placeholder('organizationId')),
        eq(pipelineStepExecutions.id, placeholder('id')),
        eq(pipelineStepExecutions.status, 'IN_PROGRESS'),
        eq(pipelineStepExecutions.attemptEpoch, placeholder('attemptEpoch')),
        // Evaluated only for the first chunk of a call; null for others.
        sql`coalesce(${storedBytesOf(placeholder('organizationId'), 'storedLogBytes')} < ${placeholder('most')}::bigint, true)`,
      ),
    )
  return db
    .insert(stepLogChunks)
    .select(row)
    .onConflictDoNothing()
    .returning({ sequence: stepLogChunks.sequence })
    .prepare('insert_log_chunk')
})

/**
 * Stores a chunk of an attempt once: a repeated one changes nothing. Returns false if the attempt is not the current
 * one.
 */
export const insertChunk = async (db: Db, attempt: AttemptKey, chunk: NewChunk): Promise<boolean> =>
  (await insertWithin(db, attempt, chunk, undefined)) || isStored(db, attempt, chunk.sequence)

/**
 * Stores a chunk as `insertChunk` does if the organization's logs have less than `most` bytes. Also returns false
 * otherwise, and for a stored chunk.
 */
export async function insertWithin(
  db: Db,
  { organizationId, id, attemptEpoch }: AttemptKey,
  { sequence, writtenAt, text, offsets }: NewChunk,
  most: number | undefined,
): Promise<boolean> {
  const attempt = { organizationId, id, attemptEpoch }
  const chunk = { sequence, writtenAt: writtenAt.toISOString(), text, offsets: JSON.stringify(offsets) }
  return (await insert(db).execute({ ...attempt, ...chunk, most: most ?? null })).length > 0
}

async function isStored(db: Db, { organizationId, id, attemptEpoch }: AttemptKey, sequence: number): Promise<boolean> {
  const isIt = and(eq(stepLogChunks.sequence, sequence), eq(stepLogChunks.attemptEpoch, attemptEpoch))
  return (await db.$count(stepLogChunks, and(ofStep(organizationId, id), isIt))) > 0
}

/** Returns the chunks after the number `after`, in order. */
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

/** Returns the stored bytes of an attempt's log. */
export async function storedBytes(db: Db, { organizationId, id, attemptEpoch }: AttemptKey): Promise<number> {
  const [row] = await db
    .select({ bytes: sql<number>`coalesce(sum(octet_length(${stepLogChunks.text})), 0)::int` })
    .from(stepLogChunks)
    .where(and(ofStep(organizationId, id), eq(stepLogChunks.attemptEpoch, attemptEpoch)))
  return row?.bytes ?? 0
}
