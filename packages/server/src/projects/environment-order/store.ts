import { and, asc, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { environments } from '../projects/tables.ts'

const ofProject = (organizationId: string, projectId: string) =>
  and(eq(environments.organizationId, organizationId), eq(environments.projectId, projectId))

/** Returns the ids of a project's environments in order; those without a position come last, by age. */
export async function readOrder(db: Db, organizationId: string, projectId: string): Promise<string[]> {
  const rows = await db
    .select({ id: environments.id })
    .from(environments)
    .where(ofProject(organizationId, projectId))
    .orderBy(sql`${environments.position} nulls last`, asc(environments.id))
  return rows.map(({ id }) => id)
}

/** Sets the positions of these environments, and clears those of the project's others. */
export async function saveOrder(
  tx: Db,
  organizationId: string,
  projectId: string,
  order: readonly string[],
): Promise<void> {
  // A single JSON parameter, because databases differ in their lists.
  const place = sql`(select place::integer from jsonb_array_elements_text(${JSON.stringify(order)}::jsonb)
    with ordinality as wanted (id, place) where wanted.id = ${environments.id})`
  await tx
    .update(environments)
    .set({ position: place, updatedAt: sql`now()` })
    .where(and(ofProject(organizationId, projectId), sql`${environments.position} is distinct from ${place}`))
}
