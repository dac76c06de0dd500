import { randomBytes } from 'node:crypto'
import { eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { organizations } from './tables.ts'

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

/** Adds an organization under a given id made of its name, with something added where another has that. */
export async function insertOrganization(tx: Db, name: string): Promise<OrganizationRow> {
  const slug = slugOf(name)
  for (const givenId of [slug, `${slug}-${randomBytes(6).toString('hex')}`]) {
    const [row] = await tx
      .insert(organizations)
      .values({ id: newId('org'), name, givenId })
      .onConflictDoNothing({ target: organizations.givenId })
      .returning()
    if (row) return row
  }
  throw new Error(`no given id is free for an organization named ${name}`)
}

/** Room is left for what may be added: a given id has at most 63 characters. */
function slugOf(name: string): string {
  const words =
    name
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  return words.join('-').slice(0, 50).replace(/-$/, '') || 'organization'
}
