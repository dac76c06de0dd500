import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { cloudAccounts } from '../src/cloud-accounts/tables.ts'
import { moduleDefinitions, moduleVersions } from '../src/module-definitions/tables.ts'
import { moduleInstances } from '../src/module-instances/tables.ts'
import type { Db } from '../src/platform/db/open.ts'
import { newId } from '../src/platform/ids.ts'
import { environments, projects } from '../src/projects/tables.ts'
import type { ServiceInput } from './cloud.ts'

/** The account as it is connected: the role that Sluice assumes, and the secret that its event bus presents. */
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
    roleVersion: '1',
    latestRoleVersion: '1',
  })
  return id
}

/** The project's id and those of its environments, in the order of their names given. */
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

/** Publishes `container-service` 1.0.0, with `change` made to its deploy block. */
export async function publishContainerService(
  db: Db,
  organizationId: string,
  change: Record<string, unknown> = {},
): Promise<PublishedVersion> {
  const file = new URL('./container-service.yaml', import.meta.url)
  const config = parse(await readFile(file, 'utf8')) as { deploy: Record<string, unknown> }
  const moduleDefinitionId = newId('md')
  const moduleVersionId = newId('mv')
  const type = 'container-service'
  await db.insert(moduleDefinitions).values({
    id: moduleDefinitionId,
    organizationId,
    name: 'Container service',
    type,
    description: 'A container service behind a load balancer.',
    status: 'ACTIVE',
    latestVersion: '1.0.0',
    latestVersionId: moduleVersionId,
  })
  await db.insert(moduleVersions).values({
    id: moduleVersionId,
    organizationId,
    moduleDefinitionId,
    version: '1.0.0',
    description: 'First version.',
    config: { ...config, deploy: { ...config.deploy, ...change } },
  })
  return { moduleDefinitionId, moduleVersionId, type }
}

export type InstanceWish = {
  organizationId: string
  projectId: string
  environmentId: string
  version: PublishedVersion
  givenId: string
  name: string
  description?: string
  input: ServiceInput
}

export async function createInstance(db: Db, wish: InstanceWish): Promise<string> {
  const { version, input, ...row } = wish
  const id = newId('mi')
  await db.insert(moduleInstances).values({ ...row, ...version, id, status: 'ACTIVE', input })
  return id
}
