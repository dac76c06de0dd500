import { and, eq, inArray, ne, or, type SQL } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { moduleVersions } from '../module-definitions/tables.ts'
import { offersOf } from '../values/offers.ts'
import { InstanceGraph, type InstanceNode } from './graph.ts'
import { moduleInstanceReferences, moduleInstances } from './tables.ts'

/** Maximum number of loading passes, more than the depth of references. */
const maxRounds = 100

/**
 * Loads instances with everything they refer to, directly or indirectly, so that their inputs can be resolved. `draft`
 * replaces the stored instance of the same id.
 */
export async function loadGraph(
  db: Db,
  organizationId: string,
  ids: readonly string[],
  draft?: InstanceNode,
): Promise<InstanceGraph> {
  const graph = new InstanceGraph()
  if (draft) graph.add([draft])
  await addWithReferred(db, organizationId, graph, ids)
  if (draft) await addWithReferred(db, organizationId, graph, [...draft.references.values()])
  const all = draft ? [...ids, draft.id] : ids
  for (let round = 0; round < maxRounds; round += 1) {
    for (const id of all) graph.resolve(id)
    const { names, addresses } = graph.wanted
    if (names.size + addresses.size === 0) return graph
    for (const [environmentId, wanted] of [...names]) {
      await addWithReferred(db, organizationId, graph, await idsOf(db, organizationId, environmentId, [...wanted]))
      graph.markAsked(environmentId, wanted)
    }
    for (const address of [...addresses]) {
      const options = await offersOf(db, organizationId, address)
      graph.offer(address, options)
    }
  }
  return graph
}

async function addWithReferred(
  db: Db,
  organizationId: string,
  graph: InstanceGraph,
  ids: readonly string[],
): Promise<void> {
  let missing = ids.filter((id) => !graph.has(id))
  while (missing.length > 0) {
    const found = await findPlaced(db, organizationId, inArray(moduleInstances.id, missing))
    graph.add(found)
    const referred = new Set(found.flatMap(({ references }) => [...references.values()]))
    missing = [...referred].filter((id) => !graph.has(id))
  }
}

async function idsOf(db: Db, organizationId: string, environmentId: string, names: string[]): Promise<string[]> {
  const rows = await db
    .select({ id: moduleInstances.id })
    .from(moduleInstances)
    .where(
      and(
        eq(moduleInstances.organizationId, organizationId),
        eq(moduleInstances.environmentId, environmentId),
        or(inArray(moduleInstances.id, names), inArray(moduleInstances.givenId, names)),
        ne(moduleInstances.status, 'DESTROYED'),
      ),
    )
  return rows.map(({ id }) => id)
}

async function findPlaced(db: Db, organizationId: string, where: SQL): Promise<InstanceNode[]> {
  const rows = await db
    .select({
      instance: moduleInstances,
      projectGivenId: projects.givenId,
      environmentGivenId: environments.givenId,
      stack: { id: stacks.id, outputs: stacks.outputs },
    })
    .from(moduleInstances)
    .innerJoin(projects, eq(projects.id, moduleInstances.projectId))
    .innerJoin(environments, eq(environments.id, moduleInstances.environmentId))
    .leftJoin(stacks, eq(stacks.id, moduleInstances.stackId))
    .where(and(eq(moduleInstances.organizationId, organizationId), where))
  const versions = await versionsById(db, [...new Set(rows.map(({ instance }) => instance.moduleVersionId))])
  const references = await referencesOf(
    db,
    organizationId,
    rows.map(({ instance }) => instance.id),
  )
  return rows.flatMap(({ instance, stack, ...place }) => {
    const version = versions.get(instance.moduleVersionId)
    if (!version) return []
    const { id, givenId, type, status, projectId, environmentId, input } = instance
    const own = new Map(
      references.filter((one) => one.moduleInstanceId === id).map((one) => [one.inputPath, one.referredId]),
    )
    return [
      {
        id,
        givenId,
        type,
        status,
        projectId,
        environmentId,
        input,
        ...place,
        version,
        stack: stack ?? undefined,
        references: own,
      },
    ]
  })
}

async function versionsById(db: Db, ids: string[]): Promise<Map<string, InstanceNode['version']>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: moduleVersions.id, version: moduleVersions.version, config: moduleVersions.config })
    .from(moduleVersions)
    .where(inArray(moduleVersions.id, ids))
  return new Map(rows.map((row) => [row.id, row]))
}

async function referencesOf(db: Db, organizationId: string, ids: string[]) {
  if (ids.length === 0) return []
  return db
    .select()
    .from(moduleInstanceReferences)
    .where(
      and(
        eq(moduleInstanceReferences.organizationId, organizationId),
        inArray(moduleInstanceReferences.moduleInstanceId, ids),
      ),
    )
}
