import type { Favourite } from '@sluice/contract'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { pipelines } from '../../pipelines/pipelines/tables.ts'
import { and, asc, eq, inArray, ne } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { favourites } from './tables.ts'

/** Member who owns the favourites. */
export type Own = { organizationId: string; membershipId: string }

const areOwn = ({ organizationId, membershipId }: Own) =>
  and(eq(favourites.organizationId, organizationId), eq(favourites.membershipId, membershipId))

/** Returns the ids of the favourites in their order. */
export async function readFavourites(db: Db, own: Own): Promise<string[]> {
  const rows = await db
    .select({ id: favourites.recordId })
    .from(favourites)
    .where(areOwn(own))
    .orderBy(asc(favourites.position))
  return rows.map(({ id }) => id)
}

/** Replaces the favourites. */
export async function replaceFavourites(tx: Db, own: Own, ids: readonly string[]): Promise<void> {
  await tx.delete(favourites).where(areOwn(own))
  if (ids.length === 0) return
  const { organizationId, membershipId } = own
  const rows = ids.map((recordId, position) => ({ organizationId, membershipId, recordId, position }))
  // Concurrent changes can insert the same record, which keeps its first position.
  await tx.insert(favourites).values(rows).onConflictDoNothing()
}

/** Returns the names of these records by id, if they exist and are visible. */
export async function findFavourites(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, Favourite>> {
  if (ids.length === 0) return new Map()
  const found: Favourite[] = []
  // Sequentially, because a transaction has one connection.
  for (const among of [servicesAmong, pipelinesAmong, projectsAmong]) {
    found.push(...(await among(db, organizationId, [...ids])))
  }
  return new Map(found.map((one) => [one.id, one]))
}

type Among = (db: Db, organizationId: string, ids: string[]) => Promise<Favourite[]>

const servicesAmong: Among = async (db, organizationId, ids) => {
  const { id, name, status } = moduleInstances
  const rows = await db
    .select({ id, name, environment: environments.name, detail: projects.name })
    .from(moduleInstances)
    .innerJoin(environments, eq(environments.id, moduleInstances.environmentId))
    .innerJoin(projects, eq(projects.id, moduleInstances.projectId))
    .where(and(eq(moduleInstances.organizationId, organizationId), inArray(id, ids), ne(status, 'DESTROYED')))
  return rows.map(({ id, name, environment, detail }) => ({
    type: 'SERVICE',
    id,
    title: `${name} · ${environment}`,
    detail,
  }))
}

const pipelinesAmong: Among = async (db, organizationId, ids) => {
  const rows = await db
    .select({ id: pipelines.id, title: pipelines.name, detail: projects.name })
    .from(pipelines)
    .innerJoin(projects, eq(projects.id, pipelines.projectId))
    .where(and(eq(pipelines.organizationId, organizationId), inArray(pipelines.id, ids)))
  return rows.map((row) => ({ type: 'PIPELINE', ...row }))
}

const projectsAmong: Among = async (db, organizationId, ids) => {
  const rows = await db
    .select({ id: projects.id, title: projects.name })
    .from(projects)
    .where(and(eq(projects.organizationId, organizationId), inArray(projects.id, ids)))
  return rows.map((row) => ({ type: 'PROJECT', ...row }))
}
