import { and, asc, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { environments } from '../projects/tables.ts'

const ofProject = (organizationId: string, projectId: string) =>
  and(eq(environments.organizationId, organizationId), eq(environments.projectId, projectId))

/** The ids of the environments of a project in the order of the team; those without a place come last, by age. */
export async function readOrder(db: Db, organizationId: string, projectId: string): Promise<string[]> {
  const rows = await db
    .select({ id: environments.id })
    .from(environments)
    .where(ofProject(organizationId, projectId))
    .orderBy(sql`${environments.position} nulls last`, asc(environments.id))
  return rows.map(({ id }) => id)
}

/** Gives these environments of a project their places, and takes those of the others. */
export async function saveOrder(
  tx: Db,
  organizationId: string,
  projectId: string,
  order: readonly string[],
): Promise<void> {
  // As one parameter, whatever the database takes for lists.
  const place = sql`(select place::integer from jsonb_array_elements_text(${JSON.stringify(order)}::jsonb)
    with ordinality as wanted (id, place) where wanted.id = ${environments.id})`
  await tx
    .update(environments)
    .set({ position: place, updatedAt: sql`now()` })
    .where(and(ofProject(organizationId, projectId), sql`${environments.position} is distinct from ${place}`))
}
