import { randomBytes } from 'node:crypto'
import { and, eq, gt, inArray, isNull, lte, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { type Deletion, memberships, organizations } from './tables.ts'

export type OrganizationRow = typeof organizations.$inferSelect

export async function findOrganization(db: Db, id: string): Promise<OrganizationRow | undefined> {
  const [row] = await db.select().from(organizations).where(eq(organizations.id, id))
  return row
}

export async function findByGivenId(db: Db, givenId: string): Promise<OrganizationRow | undefined> {
  const [row] = await db.select().from(organizations).where(eq(organizations.givenId, givenId))
  return row
}

export async function updateOrganization(
  tx: Db,
  id: string,
  change: { name?: string },
): Promise<OrganizationRow | undefined> {
  const [row] = await tx
    .update(organizations)
    .set({ ...change, updatedAt: sql`now()` })
    .where(eq(organizations.id, id))
    .returning()
  return row
}

/** Locks the organization's row, so that nothing can be added until the transaction ends. */
export async function lockOrganization(tx: Db, id: string): Promise<OrganizationRow | undefined> {
  const [row] = await tx.select().from(organizations).where(eq(organizations.id, id)).for('update')
  return row
}

/** Marks the organization for deletion, unless it is already marked. */
export async function markForDeletion(tx: Db, id: string, deletion: Deletion, endsAt: Date): Promise<void> {
  await tx
    .update(organizations)
    .set({ deletion, endsAt, updatedAt: sql`now()` })
    .where(and(eq(organizations.id, id), isNull(organizations.endsAt)))
}

/** Cancels the deletion if it has not begun. Returns whether there was one. */
export async function unmarkForDeletion(tx: Db, id: string, now: Date): Promise<boolean> {
  const rows = await tx
    .update(organizations)
    .set({ deletion: null, endsAt: null, updatedAt: sql`now()` })
    .where(and(eq(organizations.id, id), gt(organizations.endsAt, now)))
    .returning({ id: organizations.id })
  return rows.length > 0
}

export async function isEnding(db: Db, id: string): Promise<boolean> {
  const [row] = await db.select({ endsAt: organizations.endsAt }).from(organizations).where(eq(organizations.id, id))
  return row !== undefined && row.endsAt !== null
}

/** Lists the organizations that are due for deletion. */
export async function listEnding(db: Db, now: Date): Promise<string[]> {
  const rows = await db.select({ id: organizations.id }).from(organizations).where(lte(organizations.endsAt, now))
  return rows.map(({ id }) => id)
}

/** Locks an organization that is due. Returns undefined if another process has it or it is no longer due. */
export async function lockDueOrganization(tx: Db, id: string, now: Date): Promise<OrganizationRow | undefined> {
  const [row] = await tx
    .select()
    .from(organizations)
    .where(and(eq(organizations.id, id), lte(organizations.endsAt, now)))
    .for('update', { skipLocked: true })
  return row
}

export async function findOrganizations(db: Db, ids: string[]): Promise<OrganizationRow[]> {
  return db.select().from(organizations).where(inArray(organizations.id, ids))
}

/** Counts a user's organizations. */
export const countMembershipsOf = (db: Db, userId: string): Promise<number> =>
  db.$count(memberships, eq(memberships.userId, userId))

/** Inserts an organization with a givenId derived from its name, with a suffix if taken. */
export async function insertOrganization(tx: Db, name: string, id: string = newId('org')): Promise<OrganizationRow> {
  const slug = slugOf(name)
  for (const givenId of [slug, `${slug}-${randomBytes(6).toString('hex')}`]) {
    const [row] = await tx
      .insert(organizations)
      .values({ id, name, givenId })
      .onConflictDoNothing({ target: organizations.givenId })
      .returning()
    if (row) return row
  }
  throw new Error(`no given id is free for an organization named ${name}`)
}

/** Derives a givenId from a name, leaving room for a suffix within the limit of 63 characters. */
function slugOf(name: string): string {
  const words =
    name
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  return words.join('-').slice(0, 50).replace(/-$/, '') || 'organization'
}
