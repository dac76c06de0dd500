import type { CreateProject, UpdateProject } from '@sluice/contract'
import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type ProjectRow, projects } from './tables.ts'

const one = (organizationId: string, id: string) =>
  and(eq(projects.organizationId, organizationId), eq(projects.id, id))

export async function insertProject(tx: Db, organizationId: string, given: CreateProject): Promise<ProjectRow> {
  const [row] = await tx
    .insert(projects)
    .values({ ...given, id: newId('prj'), organizationId })
    .returning()
  if (!row) throw new Error('the project was not inserted')
  return row
}

export function listProjects(db: Db, organizationId: string, page: PageBounds): Promise<PageRows<ProjectRow>> {
  return selectPage(db, projects, eq(projects.organizationId, organizationId), page)
}

export async function findProject(db: Db, organizationId: string, id: string): Promise<ProjectRow | undefined> {
  const [row] = await db.select().from(projects).where(one(organizationId, id))
  return row
}

/** Returns whether the project exists, and prevents its deletion until the end of the transaction. */
export async function lockProjectShared(tx: Db, organizationId: string, id: string): Promise<boolean> {
  const rows = await tx.select({ id: projects.id }).from(projects).where(one(organizationId, id)).for('key share')
  return rows.length > 0
}

export async function updateProject(
  tx: Db,
  organizationId: string,
  id: string,
  changes: UpdateProject,
): Promise<ProjectRow | undefined> {
  const [row] = await tx
    .update(projects)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(one(organizationId, id))
    .returning()
  return row
}

/** Loads and locks a project, so that no other transaction can refer to it. */
export async function lockProject(tx: Db, organizationId: string, id: string): Promise<ProjectRow | undefined> {
  const [row] = await tx.select().from(projects).where(one(organizationId, id)).for('update')
  return row
}

export async function removeProject(tx: Db, organizationId: string, id: string): Promise<void> {
  await tx.delete(projects).where(one(organizationId, id))
}
