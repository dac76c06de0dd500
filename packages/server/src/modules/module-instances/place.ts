import { hasTemplate } from '@sluice/expressions'
import { findExecutionEnvironment } from '../../cloud/execution-environments/store.ts'
import { and, eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { referenceNotFound } from '../../platform/http/references.ts'
import { newId } from '../../platform/ids.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { insertStack } from '../../stacks/stacks/store.ts'
import type { ModuleVersionRow } from '../module-definitions/tables.ts'
import type { InstanceScope } from './draft.ts'

/**
 * Returns the project and environment of an instance and locks the environment against deletion until the transaction
 * ends.
 */
export async function placeIn(tx: Db, organizationId: string, environmentId: string): Promise<InstanceScope> {
  const [place] = await tx
    .select({
      projectId: projects.id,
      projectGivenId: projects.givenId,
      environmentId: environments.id,
      environmentGivenId: environments.givenId,
    })
    .from(environments)
    .innerJoin(projects, eq(projects.id, environments.projectId))
    .where(and(eq(environments.organizationId, organizationId), eq(environments.id, environmentId)))
    .for('key share', { of: environments })
  if (!place) throw referenceNotFound('environmentId', 'environment', environmentId)
  return place
}

/** Rejects an input that names an execution environment of another organization. Templates are checked later. */
export async function requireExecutionEnvironment(
  tx: Db,
  organizationId: string,
  { execution_environment_id: id }: Record<string, unknown>,
): Promise<void> {
  if (typeof id !== 'string' || id === '' || hasTemplate(id)) return
  if (await findExecutionEnvironment(tx, organizationId, id)) return
  throw referenceNotFound('input.execution_environment_id', 'execution environment', id)
}

/** Reports whether instances of a version have infrastructure. */
export const hasStackBlock = ({ config }: Pick<ModuleVersionRow, 'config'>): boolean => (config.stack ?? null) !== null

/** Creates a stack for an instance. A random suffix makes its givenId unique within the project. */
export async function createStackOf(
  tx: Db,
  organizationId: string,
  place: Pick<InstanceScope, 'projectId' | 'environmentGivenId'>,
  { givenId, name }: { givenId: string; name: string },
): Promise<string> {
  const words = `${place.environmentGivenId}-${givenId}`.slice(0, 50).replace(/-+$/, '')
  const stack = await insertStack(tx, organizationId, {
    projectId: place.projectId,
    givenId: `${words}-${newId('stk').slice(-8)}`,
    name,
    description: `The infrastructure of the module instance ${givenId} in ${place.environmentGivenId}.`,
  })
  return stack.id
}
