import { and, eq, lt } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { spentGitStates } from './tables.ts'

/** Marks a state as used and deletes the organization's expired states. Returns false if it was used before. */
export async function useGitState(
  tx: Db,
  state: { id: string; organizationId: string; expiresAt: Date },
  now: Date,
): Promise<boolean> {
  const { organizationId } = state
  await tx
    .delete(spentGitStates)
    .where(and(eq(spentGitStates.organizationId, organizationId), lt(spentGitStates.expiresAt, now)))
  const spent = await tx.insert(spentGitStates).values(state).onConflictDoNothing().returning({ id: spentGitStates.id })
  return spent.length > 0
}
