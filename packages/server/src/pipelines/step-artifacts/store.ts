import type { UploadStepArtifact } from '@sluice/contract/runner-protocol'
import { createSealContext } from '../../platform/crypto/place.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import { and, asc, eq, gt, inArray, isNotNull, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { type PipelineStepExecutionRow, pipelineRuns, pipelineStepExecutions } from '../pipelines/tables.ts'
import { type StepArtifactRow, sealedArtifactPieces, stepArtifactPieces, stepArtifacts } from './tables.ts'

type Uploader = Pick<PipelineStepExecutionRow, 'organizationId' | 'pipelineRunId' | 'id'>

/**
 * Returns the artifact of a name that a step uploads, without content: a later attempt of the step replaces what an
 * earlier one uploaded. Returns undefined if another step of the run has uploaded the name.
 */
export async function beginArtifact(db: Db, step: Uploader, name: string): Promise<StepArtifactRow | undefined> {
  const { organizationId, pipelineRunId, id: stepExecutionId } = step
  const [row] = await db
    .insert(stepArtifacts)
    .values({ id: newId('sart'), organizationId, pipelineRunId, stepExecutionId, name })
    .onConflictDoUpdate({
      target: [stepArtifacts.pipelineRunId, stepArtifacts.name],
      set: { storedAt: null, updatedAt: sql`now()` },
      setWhere: sql`${stepArtifacts.organizationId} = ${organizationId} and ${stepArtifacts.stepExecutionId} = ${stepExecutionId}`,
    })
    .returning()
  return row
}

/** Returns the artifact that a step is uploading or has uploaded. */
export async function findOwnArtifact(db: Db, step: Uploader, name: string): Promise<StepArtifactRow | undefined> {
  const { organizationId, pipelineRunId, id } = step
  const [row] = await db
    .select()
    .from(stepArtifacts)
    .where(
      and(
        eq(stepArtifacts.organizationId, organizationId),
        eq(stepArtifacts.pipelineRunId, pipelineRunId),
        eq(stepArtifacts.stepExecutionId, id),
        eq(stepArtifacts.name, name),
      ),
    )
  return row
}

const placeOf = ({ organizationId, id }: Pick<StepArtifactRow, 'organizationId' | 'id'>) =>
  createSealContext(sealedArtifactPieces, organizationId, id)

/** Stores a piece in place of an earlier one at the same position, and with the last piece completes the artifact. */
export async function storePiece(
  { db, seal, clock }: { db: Db; seal: Seal; clock: () => Date },
  artifact: StepArtifactRow,
  { position, content, end }: UploadStepArtifact,
): Promise<void> {
  const { organizationId, id: stepArtifactId } = artifact
  const sealed = seal.closeBytes(placeOf(artifact), Buffer.from(content, 'base64'))
  await db.transaction(async (tx) => {
    await tx
      .insert(stepArtifactPieces)
      .values({ id: newId('sartp'), organizationId, stepArtifactId, position, sealed })
      .onConflictDoUpdate({
        target: [stepArtifactPieces.stepArtifactId, stepArtifactPieces.position],
        set: { sealed, updatedAt: sql`now()` },
      })
    if (!end) return
    await tx
      .delete(stepArtifactPieces)
      .where(
        and(
          eq(stepArtifactPieces.organizationId, organizationId),
          eq(stepArtifactPieces.stepArtifactId, stepArtifactId),
          gt(stepArtifactPieces.position, position),
        ),
      )
    await tx
      .update(stepArtifacts)
      .set({ ...end, pieceCount: position + 1, storedAt: clock(), updatedAt: sql`now()` })
      .where(and(eq(stepArtifacts.organizationId, organizationId), eq(stepArtifacts.id, stepArtifactId)))
  })
}

/** Returns the content of a piece of an artifact; undefined if there is none. */
export async function readPiece(
  db: Db,
  seal: Seal,
  { organizationId, id, position }: { organizationId: string; id: string; position: number },
): Promise<Buffer | undefined> {
  const [row] = await db
    .select({ sealed: stepArtifactPieces.sealed })
    .from(stepArtifactPieces)
    .where(
      and(
        eq(stepArtifactPieces.organizationId, organizationId),
        eq(stepArtifactPieces.stepArtifactId, id),
        eq(stepArtifactPieces.position, position),
      ),
    )
  return row && seal.openBytes(placeOf({ organizationId, id }), row.sealed)
}

/** Artifact, and the id in the config of the step that uploaded it. */
export type UploadedArtifact = Pick<StepArtifactRow, 'id' | 'name' | 'pieceCount' | 'sha256'> & { stepId: string }

/** Maximum length of a chain of retried runs to follow. */
const maxRetries = 100

/**
 * Returns the artifacts that steps of a run have uploaded. A retry takes over steps of the runs that it retries, and so
 * their artifacts; the newest one of a name counts.
 */
export async function listUploaded(
  db: Db,
  { organizationId, id }: { organizationId: string; id: string },
  stepIds: readonly string[],
): Promise<UploadedArtifact[]> {
  if (stepIds.length === 0) return []
  const runs = await runsRetriedBy(db, organizationId, id)
  const { name, pieceCount, sha256 } = stepArtifacts
  const rows = await db
    .select({
      id: stepArtifacts.id,
      name,
      pieceCount,
      sha256,
      stepId: pipelineStepExecutions.stepId,
      runId: stepArtifacts.pipelineRunId,
    })
    .from(stepArtifacts)
    .innerJoin(pipelineStepExecutions, eq(pipelineStepExecutions.id, stepArtifacts.stepExecutionId))
    .where(
      and(
        eq(stepArtifacts.organizationId, organizationId),
        inArray(stepArtifacts.pipelineRunId, runs),
        inArray(pipelineStepExecutions.stepId, [...stepIds]),
        isNotNull(stepArtifacts.storedAt),
      ),
    )
    .orderBy(asc(name))
  const newestFirst = rows.toSorted((one, other) => runs.indexOf(one.runId) - runs.indexOf(other.runId))
  return [...new Map(newestFirst.toReversed().map(({ runId: _, ...row }) => [row.name, row])).values()]
}

/** Returns a run and the runs that it retries, newest first. */
async function runsRetriedBy(db: Db, organizationId: string, id: string): Promise<string[]> {
  const runs = [id]
  for (let current: string | null = id; current !== null && runs.length < maxRetries; ) {
    const [run]: { retryOf: string | null }[] = await db
      .select({ retryOf: pipelineRuns.retryOf })
      .from(pipelineRuns)
      .where(and(eq(pipelineRuns.organizationId, organizationId), eq(pipelineRuns.id, current)))
    current = run?.retryOf ?? null
    if (current !== null) runs.push(current)
  }
  return runs
}
