import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type StackWorkspaceRow, type StateLock, stackWorkspaces } from '../stacks/tables.ts'
import { canLock } from './machine.ts'

const one = (organizationId: string, id: string) =>
  and(eq(stackWorkspaces.organizationId, organizationId), eq(stackWorkspaces.id, id))

/** Loads a workspace and locks its row, so that no other transaction can lock or write its state. */
export async function lockWorkspace(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<StackWorkspaceRow | undefined> {
  const [row] = await tx.select().from(stackWorkspaces).where(one(organizationId, id)).for('update')
  return row
}

/** Reports whether the holder of a lock has ended. Provided by a higher layer, which knows the holders. */
export type HasHolderEnded = (tx: Db, organizationId: string, held: StateLock) => Promise<boolean>

/** Acquires the state lock, or returns the conflicting one. */
export function lockState(
  db: Db,
  { organizationId, id: workspaceId }: Pick<StackWorkspaceRow, 'organizationId' | 'id'>,
  wanted: StateLock,
  isHolderOver: HasHolderEnded,
): Promise<'locked' | { held: StateLock }> {
  return db.transaction(async (tx) => {
    const workspace = await lockWorkspace(tx, organizationId, workspaceId)
    if (!workspace) throw new Error(`the workspace ${workspaceId} has vanished`)
    const { lock: held } = workspace
    if (held && !canLock(held, wanted, await isHolderOver(tx, organizationId, held))) return { held }
    await setLock(tx, organizationId, workspaceId, wanted)
    return 'locked'
  })
}

async function setLock(tx: Db, organizationId: string, workspaceId: string, lock: StateLock | null): Promise<void> {
  await tx.update(stackWorkspaces).set({ lock, updatedAt: sql`now()` }).where(one(organizationId, workspaceId))
}

/** Releases a lock; does nothing if it is not held any more. */
export async function unlockState(db: Db, organizationId: string, workspaceId: string, lockId: string): Promise<void> {
  await db
    .update(stackWorkspaces)
    .set({ lock: null, updatedAt: sql`now()` })
    .where(and(one(organizationId, workspaceId), eq(sql`${stackWorkspaces.lock} ->> 'id'`, lockId)))
}

/** Releases the locks of a step execution, in the transaction that ends its attempt. */
export async function releaseLocks(tx: Db, organizationId: string, stepExecutionId: string): Promise<void> {
  const itsLocks = eq(sql`${stackWorkspaces.lock} ->> 'stepExecutionId'`, stepExecutionId)
  await tx
    .update(stackWorkspaces)
    .set({ lock: null, updatedAt: sql`now()` })
    .where(and(eq(stackWorkspaces.organizationId, organizationId), itsLocks))
}

/** Breaks a lock, and returns it; undefined if there is none. */
export async function breakLock(tx: Db, workspace: StackWorkspaceRow): Promise<StateLock | undefined> {
  if (!workspace.lock) return undefined
  await setLock(tx, workspace.organizationId, workspace.id, null)
  return workspace.lock
}
