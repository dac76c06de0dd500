import type { ApprovalTarget } from '@sluice/contract'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import type { GuardedResource } from '../../pipelines/pipeline-runs/gates/approval-targets.ts'
import { and, eq, inArray, ne, or } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { stacks } from '../../stacks/stacks/tables.ts'

/** Returns the names of the targets without duplicates. The stack of an instance has the instance's name. */
export async function named(
  db: Db,
  organizationId: string,
  targets: readonly GuardedResource[],
): Promise<ApprovalTarget[]> {
  const stackIds = targets.flatMap((target) => ('stackId' in target ? [target.stackId] : []))
  const ids = targets.flatMap((target) => ('moduleInstanceId' in target ? [target.moduleInstanceId] : []))
  if (targets.length === 0) return []
  const isOfStack = and(inArray(moduleInstances.stackId, stackIds), ne(moduleInstances.status, 'DESTROYED'))
  const instances = await db
    .select({
      moduleInstanceId: moduleInstances.id,
      name: moduleInstances.name,
      projectName: projects.name,
      environmentName: environments.name,
      stackId: moduleInstances.stackId,
    })
    .from(moduleInstances)
    .innerJoin(projects, eq(projects.id, moduleInstances.projectId))
    .innerJoin(environments, eq(environments.id, moduleInstances.environmentId))
    .where(and(eq(moduleInstances.organizationId, organizationId), or(inArray(moduleInstances.id, ids), isOfStack)))
  const known = new Set(instances.map(({ stackId }) => stackId))
  const others = await stacksNamed(
    db,
    organizationId,
    stackIds.filter((id) => !known.has(id)),
  )
  return [...instances.map(({ stackId: _, ...target }) => target), ...others]
}

const stacksNamed = (db: Db, organizationId: string, ids: string[]): Promise<ApprovalTarget[]> =>
  db
    .select({ name: stacks.name, projectName: projects.name })
    .from(stacks)
    .innerJoin(projects, eq(projects.id, stacks.projectId))
    .where(and(eq(stacks.organizationId, organizationId), inArray(stacks.id, ids)))
