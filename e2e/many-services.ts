import type { DeploymentData, DeploymentEvent } from '@sluice/contract'
import { createProject } from '../packages/server/demo/organization.ts'
import { deployments } from '../packages/server/src/delivery/deployments/store/tables.ts'
import { moduleDefinitions } from '../packages/server/src/modules/module-definitions/tables.ts'
import { moduleInstances } from '../packages/server/src/modules/module-instances/tables.ts'
import { eq } from '../packages/server/src/platform/db/drizzle.ts'
import type { Db } from '../packages/server/src/platform/db/open.ts'
import { newId } from '../packages/server/src/platform/ids.ts'
import { finishedDeployment } from '../packages/server/src/testing/resources.ts'

const environmentNames = ['production', 'staging', 'testing', 'preview', 'load', 'sandbox']
const names = [
  'accounts',
  'billing',
  'catalogue',
  'checkout',
  'orders',
  'payments',
  'search',
  'shipping',
  'stock',
  'web',
]
const people = ['ada@example.com', 'grace@example.com', 'katherine@example.com']

type Instance = typeof moduleInstances.$inferInsert
type Deployment = typeof deployments.$inferInsert

/** Creates a project with services of the organization's module in six environments, each with several releases. */
export async function makeManyServices(
  db: Db,
  organizationId: string,
  { services, releases }: { services: number; releases: number },
): Promise<{ projectId: string; environmentIds: string[] }> {
  const given = { givenId: 'many', name: 'Many services', environmentNames }
  const { projectId, environmentIds } = await createProject(db, organizationId, given)
  const [definition] = await db
    .select()
    .from(moduleDefinitions)
    .where(eq(moduleDefinitions.organizationId, organizationId))
  if (!definition?.latestVersionId) throw new Error('the organization has no module')
  const { id: moduleDefinitionId, latestVersionId: moduleVersionId, type } = definition
  const module = { moduleDefinitionId, moduleVersionId, type }
  const instances = Array.from({ length: services }).flatMap((_, service) => {
    const givenId = `${names[service % names.length]}-${String(service).padStart(3, '0')}`
    return environmentIds.map((environmentId): Instance => {
      const place = { organizationId, projectId, environmentId }
      return { id: newId('mi'), ...place, ...module, givenId, name: givenId, status: 'ACTIVE', input: {} }
    })
  })
  await insertAll((rows) => db.insert(moduleInstances).values(rows), instances)
  const made = instances.flatMap((instance, at) =>
    Array.from({ length: releases }, (_, release) => deploymentOf(instance, at, releases - release)),
  )
  await insertAll((rows) => db.insert(deployments).values(rows), made)
  return { projectId, environmentIds }
}

async function insertAll<Row>(insert: (rows: Row[]) => PromiseLike<unknown>, rows: Row[]): Promise<void> {
  for (let from = 0; from < rows.length; from += 500) await insert(rows.slice(from, from + 500))
}

/** Builds the release that is `before` releases older than the latest one. Some of the latest are paused or failed. */
function deploymentOf(instance: Instance, at: number, before: number): Deployment {
  const { organizationId, projectId, environmentId } = instance
  const ended = new Date(Date.now() - before * 7 * 3_600_000 - (at % 97) * 60_000)
  const status = before > 1 ? 'SUCCESS' : at % 41 === 3 ? 'IN_PROGRESS' : at % 29 === 5 ? 'ERROR' : 'SUCCESS'
  const image = `registry.example.com/shop/${instance.givenId}:${2 + (at % 3)}.${20 - before}.0`
  const data = dataOf(image, people[at % people.length] ?? '', status === 'IN_PROGRESS', ended)
  const error = { code: 'Sluice:Deployments:FAILED', message: 'The container ended with exit code 1.' }
  const later = new Date(Date.now() + 3_600_000)
  const hook = {
    hookId: 'hook_1',
    timeoutAction: 'ROLLBACK',
    state: 'waiting',
    expiresAt: later.toISOString(),
  } as const
  return {
    ...finishedDeployment,
    id: newId('dep'),
    organizationId,
    projectId,
    environmentId,
    moduleInstanceId: instance.id ?? '',
    status,
    data,
    createdAt: ended,
    startedAt: ended,
    resourceName: instance.givenId,
    ...(status === 'IN_PROGRESS'
      ? {
          wakeAt: later,
          deadlineAt: later,
          waitingFor: 'somebody',
          progress: { ...finishedDeployment.progress, hooks: [hook] },
        }
      : { completedAt: ended }),
    ...(status === 'ERROR' && { error }),
  }
}

function dataOf(image: string, triggeredBy: string, isPaused: boolean, at: Date): DeploymentData {
  const startedAt = at.toISOString()
  const paused = { currentStep: 4, totalSteps: 9, stepCode: 'PAUSED', startedAt, hookId: 'hook_1' } as const
  const events: DeploymentEvent[] = isPaused ? [paused] : []
  const definition = { containerDefinitions: [{ name: 'app', image, environment: [] }] }
  return {
    type: 'cloud:ecs',
    clusterArn: 'cluster',
    serviceArn: 'service',
    triggeredBy,
    events,
    deployedTaskDefinition: { arn: `${image}-definition`, revision: 7, definition },
  }
}
