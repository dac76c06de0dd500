import type { FindBlockers } from '../../identity/organizations/end.ts'
import { moduleDefinitions } from '../../modules/module-definitions/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, eq, ne } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import type { FindDependents } from '../../platform/records.ts'

/**
 * Returns a function that lists what prevents the deletion of an organization: active work, and dependents of its
 * published modules, which needs access to all organizations.
 */
export const dependentsOfOrganization =
  (findDependents: FindDependents): FindBlockers =>
  async (db, organizationId) => [
    ...(await findDependents('organizations', db, organizationId, organizationId)),
    ...(await publishedModuleDependents(db, organizationId)),
  ]

/** Does not name the dependents, which belong to other organizations. */
async function publishedModuleDependents(db: Db, organizationId: string): Promise<string[]> {
  const used = await db
    .selectDistinct({ id: moduleDefinitions.id, type: moduleDefinitions.type })
    .from(moduleDefinitions)
    .innerJoin(moduleInstances, eq(moduleInstances.moduleDefinitionId, moduleDefinitions.id))
    .where(
      and(eq(moduleDefinitions.organizationId, organizationId), ne(moduleInstances.organizationId, organizationId)),
    )
    .limit(20)
  return used.map(({ id, type }) => `module definition ${type} (${id}), which other organizations use`)
}
