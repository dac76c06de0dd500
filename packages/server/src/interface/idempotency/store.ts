import { and, eq, lt } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import type { KeyedRequest } from '../../platform/http/once.ts'
import { newId } from '../../platform/ids.ts'
import { idempotentAnswers } from './tables.ts'

/** Acquires the key for a request, and returns the id of its row; undefined if the key is in use. */
export async function claimKey(
  tx: Db,
  { organizationId, actorId, operationId, key }: KeyedRequest,
  requestHash: string,
  createdAt: Date,
): Promise<string | undefined> {
  const [row] = await tx
    .insert(idempotentAnswers)
    .values({ id: newId('idem'), organizationId, actorId, operationId, key, requestHash, createdAt })
    .onConflictDoNothing()
    .returning({ id: idempotentAnswers.id })
  return row?.id
}

/** Stored response, with an encrypted body. */
export type KnownAnswer = { id: string; createdAt: Date; requestHash: string; status: number; body: string }

/** Returns the stored response for a key. */
export async function findAnswer(
  tx: Db,
  { organizationId, actorId, operationId, key }: KeyedRequest,
): Promise<KnownAnswer | undefined> {
  const [row] = await tx
    .select()
    .from(idempotentAnswers)
    .where(
      and(
        eq(idempotentAnswers.organizationId, organizationId),
        eq(idempotentAnswers.actorId, actorId),
        eq(idempotentAnswers.operationId, operationId),
        eq(idempotentAnswers.key, key),
      ),
    )
  if (!row) return undefined
  const { id, createdAt, requestHash, status, body } = row
  // Committed together with the key, so that both are visible together.
  if (status === null || body === null) throw new Error(`the key ${key} of ${actorId} has no answer`)
  return { id, createdAt, requestHash, status, body }
}

export async function storeResponse(tx: Db, id: string, answer: { status: number; body: string }): Promise<void> {
  await tx.update(idempotentAnswers).set(answer).where(eq(idempotentAnswers.id, id))
}

export async function deleteResponse(tx: Db, id: string): Promise<void> {
  await tx.delete(idempotentAnswers).where(eq(idempotentAnswers.id, id))
}

/** Deletes the responses of all organizations from before `moment`. */
export async function deleteResponsesBefore(db: Db, moment: Date): Promise<void> {
  await db.delete(idempotentAnswers).where(lt(idempotentAnswers.createdAt, moment))
}
