import type { Role } from '@sluice/contract'
import { pino } from 'pino'
import { serveAuth } from '../auth/routes.ts'
import { findCaller } from '../auth/store.ts'
import { serveCloudAccounts } from '../cloud-accounts/routes.ts'
import { serveModuleDefinitions } from '../module-definitions/routes.ts'
import { moduleDefinitions, moduleVersions } from '../module-definitions/tables.ts'
import { serveModuleInstances } from '../module-instances/routes.ts'
import { moduleInstances } from '../module-instances/tables.ts'
import { apiKeys, memberships, organizations, users } from '../organizations/tables.ts'
import { newApiKey, storedApiKey } from '../platform/auth/api-key.ts'
import { createAuthenticate } from '../platform/auth/authenticate.ts'
import type { Db } from '../platform/db/open.ts'
import { type App, createApp } from '../platform/http/app.ts'
import { createOpenPage } from '../platform/http/pagination.ts'
import { newId } from '../platform/ids.ts'
import { environments, projects } from '../projects/tables.ts'
import { openTestDatabase } from './database.ts'

/** What a test gets back from a request: enough to check every rule of the wire. */
export interface Answer {
  status: number
  headers: Headers
  /** Whatever the JSON says: a test looks into bodies of every shape, wrong ones included. */
  body: ReturnType<typeof JSON.parse>
}

/** A server of the read-only features on a database of its own, spoken to over real HTTP. */
export async function startHttpWorld(addRoutes: (app: App) => void = () => {}) {
  const { db, close } = await openTestDatabase()
  const logged: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) })
  const app = createApp({ log, authenticate: createAuthenticate((tokenHash) => findCaller(db, tokenHash)) })
  const openPage = createOpenPage('a cursor secret for tests')
  serveAuth(app)
  serveModuleInstances(app, { db, openPage })
  serveModuleDefinitions(app, { db, openPage })
  serveCloudAccounts(app, { db, openPage })
  addRoutes(app)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })

  async function ask(path: string, init: RequestInit & { key?: string } = {}): Promise<Answer> {
    const { key, headers, ...rest } = init
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
    const response = await fetch(url + path, { ...rest, headers: { ...authorization, ...headers } })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  }

  return {
    db,
    url,
    logged,
    ask,
    send: (path: string, key: string, body: string) =>
      ask(path, { key, method: 'POST', body, headers: { 'content-type': 'application/json' } }),
    async [Symbol.asyncDispose]() {
      await app.close()
      await close()
    },
  }
}

export interface SeededOrganization {
  organizationId: string
  membershipId: string
  userId: string
  keyId: string
  key: string
}

/** A new organization with one member and that member's API key. */
export async function seedOrganization(
  db: Db,
  { role = 'OWNER', globalRole = 'USER' }: { role?: Role; globalRole?: 'USER' | 'SUPERADMIN' } = {},
): Promise<SeededOrganization> {
  const organizationId = newId('org')
  const userId = newId('usr')
  const membershipId = newId('mem')
  const keyId = newId('key')
  const key = newApiKey()
  await db.insert(organizations).values({ id: organizationId, name: 'Acme', givenId: organizationId })
  await db.insert(users).values({ id: userId, email: `${userId}@example.com`, fullName: 'Ada', globalRole })
  await db.insert(memberships).values({ id: membershipId, organizationId, userId, role })
  await db.insert(apiKeys).values({ id: keyId, organizationId, membershipId, name: 'test', ...storedApiKey(key) })
  return { organizationId, membershipId, userId, keyId, key }
}

/** A definition with a version, a project with an environment, and `count` instances there, oldest first. */
export async function seedInstances(db: Db, organizationId: string, count: number): Promise<string[]> {
  const record = () => ({ organizationId, name: 'A', givenId: newId('req') })
  const projectId = newId('prj')
  const environmentId = newId('env')
  const moduleDefinitionId = newId('md')
  const moduleVersionId = newId('mv')
  await db.insert(projects).values({ id: projectId, ...record() })
  await db.insert(environments).values({ id: environmentId, projectId, ...record() })
  await db
    .insert(moduleDefinitions)
    .values({ id: moduleDefinitionId, organizationId, name: 'Web', type: `web-${projectId}`, description: '' })
  await db
    .insert(moduleVersions)
    .values({ id: moduleVersionId, organizationId, moduleDefinitionId, version: '1.0.0', description: 'x', config: {} })
  const ids = Array.from({ length: count }, () => newId('mi')).sort()
  const place = { projectId, environmentId, moduleDefinitionId, moduleVersionId, type: 'web', input: { replicas: 2 } }
  for (const id of ids) await db.insert(moduleInstances).values({ id, ...record(), ...place })
  return ids
}
