import type { CreateStack, UpdateStack } from '@sluice/contract'
import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type StackRow, stacks } from './tables.ts'

const one = (organizationId: string, id: string) => and(eq(stacks.organizationId, organizationId), eq(stacks.id, id))

export async function insertStack(tx: Db, organizationId: string, given: CreateStack): Promise<StackRow> {
  const [row] = await tx
    .insert(stacks)
    .values({ ...given, id: newId('stk'), organizationId })
    .returning()
  if (!row) throw new Error('the stack was not inserted')
  return row
}

export function listStacks(
  db: Db,
  organizationId: string,
  { projectId }: { projectId?: string },
  page: PageBounds,
): Promise<PageRows<StackRow>> {
  const where = and(
    eq(stacks.organizationId, organizationId),
    projectId === undefined ? undefined : eq(stacks.projectId, projectId),
  )
  return selectPage(db, stacks, where, page)
}

export async function findStack(db: Db, organizationId: string, id: string): Promise<StackRow | undefined> {
  const [row] = await db.select().from(stacks).where(one(organizationId, id))
  return row
}

/** Returns the id of a project's stack by its id or givenId. */
export async function findStackNamed(
  db: Db,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  { id, givenId }: { id?: string | undefined; givenId?: string | undefined },
): Promise<string | undefined> {
  if (id === undefined && givenId === undefined) return undefined
  const [row] = await db
    .select({ id: stacks.id })
    .from(stacks)
    .where(
      and(
        eq(stacks.organizationId, organizationId),
        id === undefined ? and(eq(stacks.projectId, projectId), eq(stacks.givenId, givenId ?? '')) : eq(stacks.id, id),
      ),
    )
  return row?.id
}

/** Loads a stack and prevents its deletion until the end of the transaction. */
export async function lockStackShared(tx: Db, organizationId: string, id: string): Promise<StackRow | undefined> {
  const [row] = await tx.select().from(stacks).where(one(organizationId, id)).for('key share')
  return row
}

export async function updateStack(
  tx: Db,
  organizationId: string,
  id: string,
  changes: UpdateStack,
): Promise<StackRow | undefined> {
  const [row] = await tx
    .update(stacks)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(one(organizationId, id))
    .returning()
  return row
}

/** Loads and locks a stack, so that no other transaction can refer to it. */
export async function lockStack(tx: Db, organizationId: string, id: string): Promise<StackRow | undefined> {
  const [row] = await tx.select().from(stacks).where(one(organizationId, id)).for('update')
  return row
}

export async function removeStack(tx: Db, organizationId: string, id: string): Promise<void> {
  await tx.delete(stacks).where(one(organizationId, id))
}
