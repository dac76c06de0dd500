import { createSealContext } from '../../platform/crypto/place.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type StackRow, sealedStackOutputs, stacks } from './tables.ts'

type Json = Record<string, unknown>

/** Outputs of a stack for other configurations. */
export type StackOutputs = {
  /** Outputs that are not sensitive. */
  open: Json
  sensitive: Json
}

/** Stores the outputs of an apply. */
export async function saveOutputs(
  tx: Db,
  seal: Seal,
  { organizationId, stackId, pipelineRunId }: { organizationId: string; stackId: string; pipelineRunId: string },
  { open, sensitive }: StackOutputs,
  now: Date,
): Promise<void> {
  const place = createSealContext(sealedStackOutputs, organizationId, stackId)
  await tx
    .update(stacks)
    .set({
      outputs: open,
      sealedOutputs: Object.keys(sensitive).length === 0 ? null : seal.close(place, JSON.stringify(sensitive)),
      lastAppliedAt: now,
      lastAppliedRunId: pipelineRunId,
      updatedAt: sql`now()`,
    })
    .where(and(eq(stacks.organizationId, organizationId), eq(stacks.id, stackId)))
}

/** Returns the outputs of the last apply. */
export function outputsOf(seal: Seal, { id, organizationId, outputs, sealedOutputs }: StackRow): StackOutputs {
  const place = createSealContext(sealedStackOutputs, organizationId, id)
  return {
    open: outputs ?? {},
    sensitive: sealedOutputs === null ? {} : JSON.parse(seal.open(place, sealedOutputs)),
  }
}
