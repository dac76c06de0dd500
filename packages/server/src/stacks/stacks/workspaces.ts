import type { CreateStackWorkspace } from '@sluice/contract'
import { and, eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type StackWorkspaceRow, stackWorkspaces } from './tables.ts'

const one = (organizationId: string, id: string) =>
  and(eq(stackWorkspaces.organizationId, organizationId), eq(stackWorkspaces.id, id))

export async function insertStackWorkspace(
  tx: Db,
  organizationId: string,
  given: CreateStackWorkspace,
): Promise<StackWorkspaceRow> {
  const [row] = await tx
    .insert(stackWorkspaces)
    .values({ ...given, id: newId('wsp'), organizationId })
    .returning()
  if (!row) throw new Error('the workspace was not inserted')
  return row
}

/** Returns the workspace with this name, creating it if necessary. */
export async function ensureStackWorkspace(
  db: Db,
  organizationId: string,
  given: CreateStackWorkspace,
): Promise<StackWorkspaceRow> {
  await db
    .insert(stackWorkspaces)
    .values({ ...given, id: newId('wsp'), organizationId })
    .onConflictDoNothing({ target: [stackWorkspaces.stackId, stackWorkspaces.name] })
  const named = and(eq(stackWorkspaces.stackId, given.stackId), eq(stackWorkspaces.name, given.name))
  const [row] = await db
    .select()
    .from(stackWorkspaces)
    .where(and(eq(stackWorkspaces.organizationId, organizationId), named))
  if (!row) throw new Error(`the workspace ${given.name} was not made`)
  return row
}

export function listStackWorkspaces(
  db: Db,
  organizationId: string,
  { stackId }: { stackId?: string },
  page: PageBounds,
): Promise<PageRows<StackWorkspaceRow>> {
  const where = and(
    eq(stackWorkspaces.organizationId, organizationId),
    stackId === undefined ? undefined : eq(stackWorkspaces.stackId, stackId),
  )
  return selectPage(db, stackWorkspaces, where, page)
}

export async function findStackWorkspace(
  db: Db,
  organizationId: string,
  id: string,
): Promise<StackWorkspaceRow | undefined> {
  const [row] = await db.select().from(stackWorkspaces).where(one(organizationId, id))
  return row
}

export async function removeStackWorkspace(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<StackWorkspaceRow | undefined> {
  const [row] = await tx.delete(stackWorkspaces).where(one(organizationId, id)).returning()
  return row
}
