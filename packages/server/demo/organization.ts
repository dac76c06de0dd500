import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { latestRole, roleTags } from '../src/cloud/cloud-accounts/role-version.ts'
import { cloudAccounts, cloudConnections } from '../src/cloud/cloud-accounts/tables.ts'
import { executionEnvironments } from '../src/cloud/execution-environments/tables.ts'
import { storeReleasedService } from '../src/delivery/deployments/external/adopt.ts'
import { moduleDefinitions, moduleVersions } from '../src/modules/module-definitions/tables.ts'
import { moduleInstances } from '../src/modules/module-instances/tables.ts'
import { pipelines, pipelineVersions } from '../src/pipelines/pipelines/tables.ts'
import { eq } from '../src/platform/db/drizzle.ts'
import type { Db } from '../src/platform/db/open.ts'
import { newId } from '../src/platform/ids.ts'
import { environments, projects } from '../src/projects/projects/tables.ts'
import { stacks } from '../src/stacks/stacks/tables.ts'

/** Returns the tags of a role that the newest template created. */
export const newestRoleTags = (stackId: string): Record<string, string> => ({
  [roleTags.version]: latestRole.version,
  [roleTags.stack]: stackId,
})

/** Connection of the account: the role that Sluice assumes and the secret that its event bus sends. */
export type Connection = { givenId: string; name: string; roleArn: string; externalId: string; eventSecret: string }

export async function connectAccount(db: Db, organizationId: string, connection: Connection): Promise<string> {
  const { givenId, name, roleArn, externalId, eventSecret } = connection
  const id = newId('ca')
  await db.insert(cloudAccounts).values({
    id,
    organizationId,
    givenId,
    name,
    status: 'CONNECTED',
    cloudArn: roleArn,
    cloudId: roleArn.split(':').at(4) ?? '',
    externalId,
    eventSecretHash: hash('sha256', eventSecret, 'hex'),
  })
  const now = new Date()
  await db.insert(cloudConnections).values({
    id: newId('cc'),
    organizationId,
    cloudAccountId: id,
    checkAt: now,
    lookAt: new Date(now.getTime() + 300_000),
  })
  return id
}

type CloudEnvironment = Pick<
  typeof executionEnvironments.$inferInsert,
  'givenId' | 'name' | 'description' | 'cloudAccountId' | 'region' | 'network'
>

export async function createCloudEnvironment(db: Db, organizationId: string, given: CloudEnvironment): Promise<void> {
  await db.insert(executionEnvironments).values({ id: newId('ee'), organizationId, ...given })
}

/** Creates a project. Returns its ID and those of its environments, in the order of their names. */
export async function createProject(
  db: Db,
  organizationId: string,
  { givenId, name, environmentNames }: { givenId: string; name: string; environmentNames: string[] },
): Promise<{ projectId: string; environmentIds: string[] }> {
  const projectId = newId('prj')
  await db.insert(projects).values({ id: projectId, organizationId, givenId, name })
  const rows = environmentNames.map((environment) => ({
    id: newId('env'),
    organizationId,
    projectId,
    givenId: environment,
    name: environment,
  }))
  await db.insert(environments).values(rows)
  return { projectId, environmentIds: rows.map(({ id }) => id) }
}

export type PublishedVersion = { moduleDefinitionId: string; moduleVersionId: string; type: string }

export type ModuleOptions = { type: string; name: string; description: string; config: Record<string, unknown> }

/** Reads the config of one of the demo's modules. */
export async function readModule(type: DemoModule): Promise<Record<string, unknown>> {
  return parse(await readFile(new URL(`./modules/${type}.yaml`, import.meta.url), 'utf8'))
}

export const demoModules = {
  network: { name: 'Network', description: 'A private network with its subnets.' },
  'container-service': { name: 'Container service', description: 'A container behind a load balancer.' },
  function: { name: 'Function', description: 'Code that runs when it is called.' },
  'machine-group': { name: 'Group of machines', description: 'Machines that run a container each.' },
  'static-site': { name: 'Static site', description: 'Files behind a content delivery network.' },
} as const
export type DemoModule = keyof typeof demoModules

/** Publishes version 1.0.0 of a module. */
export async function publishModule(
  db: Db,
  organizationId: string,
  { type, name, description, config }: ModuleOptions,
): Promise<PublishedVersion> {
  const moduleDefinitionId = newId('md')
  const moduleVersionId = newId('mv')
  const latest = { latestVersion: '1.0.0', latestVersionId: moduleVersionId, status: 'ACTIVE' } as const
  await db
    .insert(moduleDefinitions)
    .values({ id: moduleDefinitionId, organizationId, name, type, description, ...latest })
  const version = { version: '1.0.0', description: 'First version.', config }
  await db.insert(moduleVersions).values({ id: moduleVersionId, organizationId, moduleDefinitionId, ...version })
  return { moduleDefinitionId, moduleVersionId, type }
}

export type InstanceOptions = {
  organizationId: string
  projectId: string
  environmentId: string
  version: PublishedVersion
  givenId: string
  name: string
  description?: string
  input: Record<string, unknown>
}

export async function createInstance(db: Db, wish: InstanceOptions): Promise<string> {
  const { version, input, ...row } = wish
  const id = newId('mi')
  await db.insert(moduleInstances).values({ ...row, ...version, id, status: 'ACTIVE', input })
  await storeReleasedService(db, row.organizationId, id)
  return id
}

/** Gives an instance the outputs of existing infrastructure, as if its stack had been applied. */
export async function adoptStack(
  db: Db,
  { organizationId, projectId, givenId, name, version }: InstanceOptions,
  instanceId: string,
  outputs: Record<string, unknown>,
): Promise<void> {
  const id = newId('stk')
  const applied = { outputs, lastAppliedAt: new Date() }
  await db.insert(stacks).values({ id, organizationId, projectId, givenId, name, ...applied })
  await db
    .update(moduleInstances)
    .set({ stackId: id, appliedVersionId: version.moduleVersionId, appliedAt: applied.lastAppliedAt })
    .where(eq(moduleInstances.id, instanceId))
  await storeReleasedService(db, organizationId, instanceId)
}

/** Creates an empty stack for pipelines. */
export async function createStack(
  db: Db,
  stack: { organizationId: string; projectId: string; givenId: string; name: string; description: string },
): Promise<void> {
  await db.insert(stacks).values({ ...stack, id: newId('stk') })
}

/** Reads the config of a demo pipeline and replaces its placeholders in braces. */
export async function readPipeline(
  givenId: DemoPipeline,
  named: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const text = await readFile(new URL(`./pipelines/${givenId}.yaml`, import.meta.url), 'utf8')
  return parse(text.replaceAll(/"\{(\w+)\}"/g, (written, name) => named[name] ?? written))
}

export const demoPipelines = {
  release: { name: 'Release', description: 'Plans, asks, applies, and releases to production.' },
  deliver: {
    name: 'Deliver',
    description: 'Builds what is pushed, plans, asks, applies, and releases it as a canary.',
  },
} as const
export type DemoPipeline = keyof typeof demoPipelines

/** Creates a pipeline with its first version and returns its ID. */
export async function createPipeline(
  db: Db,
  place: { organizationId: string; projectId: string },
  givenId: DemoPipeline,
  named?: Record<string, string>,
): Promise<string> {
  const { organizationId } = place
  const id = newId('pl')
  const config = await readPipeline(givenId, named)
  await db.insert(pipelines).values({ ...place, ...demoPipelines[givenId], id, givenId, latestVersion: 1 })
  await db.insert(pipelineVersions).values({ id: newId('plv'), organizationId, pipelineId: id, version: 1, config })
  return id
}
