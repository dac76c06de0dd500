import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import type { Role } from '@sluice/contract'
import { pino } from 'pino'
import { serveApiKeys } from '../api-keys/routes.ts'
import { serveAuditEvents } from '../audit-events/routes.ts'
import { serveAuth } from '../auth/routes.ts'
import { findCaller } from '../auth/store.ts'
import { openCloud } from '../cloud/access.ts'
import { serveCloudAccounts } from '../cloud-accounts/routes.ts'
import { serveCodeSources } from '../code-sources/routes.ts'
import { serveDefaultValueDefinitions } from '../default-value-definitions/routes.ts'
import { serveDefaultValues } from '../default-values/routes.ts'
import { serveEnvironments } from '../environments/routes.ts'
import { serveExecutionEnvironments } from '../execution-environments/routes.ts'
import { openGitHosts } from '../git/hosts.ts'
import { receiveGitDeliveries } from '../git-deliveries/routes.ts'
import { createGitStates } from '../git-states/state.ts'
import { serveGithostaInstallations } from '../githosta-installations/routes.ts'
import { serveGithostbConnections } from '../githostb-connections/routes.ts'
import { createConnectionTokens } from '../githostb-connections/tokens.ts'
import { serveGithostbInstances } from '../githostb-instances/routes.ts'
import { serveIacPlans } from '../iac-plans/routes.ts'
import { serveIacResources } from '../iac-resources/routes.ts'
import { serveStateBackend } from '../iac-states/backend.ts'
import { serveIacStates } from '../iac-states/routes.ts'
import { createStateTokens } from '../iac-states/token.ts'
import { createAnswerOnce } from '../idempotency/answer-once.ts'
import { serveInfrastructureEvents } from '../infrastructure-events/routes.ts'
import { serveInvitations } from '../invitations/routes.ts'
import { serveMemberships } from '../memberships/routes.ts'
import { serveModuleDefinitions } from '../module-definitions/routes.ts'
import { moduleDefinitions, moduleVersions } from '../module-definitions/tables.ts'
import { instanceRunEnded } from '../module-instances/ended.ts'
import { serveModuleInstances } from '../module-instances/routes.ts'
import { moduleInstances } from '../module-instances/tables.ts'
import { serveModuleVersions } from '../module-versions/routes.ts'
import { serveOpenApi } from '../openapi/routes.ts'
import { serveOrganizations } from '../organizations/routes.ts'
import { apiKeys, memberships, organizations, users } from '../organizations/tables.ts'
import { servePipelineRuns } from '../pipeline-runs/routes.ts'
import { servePipelineStepExecutions } from '../pipeline-step-executions/routes.ts'
import { servePipelineVersions } from '../pipeline-versions/routes.ts'
import { servePipelines } from '../pipelines/routes.ts'
import { newApiKey, storedApiKey } from '../platform/auth/api-key.ts'
import { type AttemptLimit, attemptLimits, createAttempts } from '../platform/auth/attempts.ts'
import { createCallers } from '../platform/auth/callers.ts'
import { loadConfig } from '../platform/config/load.ts'
import { createSeal } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db/open.ts'
import { connectEngine } from '../platform/engine/client.ts'
import { type App, createApp } from '../platform/http/app.ts'
import { createOpenPage } from '../platform/http/pagination.ts'
import { newId } from '../platform/ids.ts'
import { serveProjects } from '../projects/routes.ts'
import { environments, projects } from '../projects/tables.ts'
import { serveSchemas } from '../schemas/routes.ts'
import { serveServiceAccounts } from '../service-accounts/routes.ts'
import { serveStacks } from '../stacks/routes.ts'
import { Bell } from '../step-logs/bell.ts'
import { serveStepLogs } from '../step-logs/routes.ts'
import { serveUsers } from '../users/routes.ts'
import { serveValues } from '../values/routes.ts'
import { openTestDatabase } from './database.ts'

/** What a test gets back from a request: enough to check every rule of the wire. */
export interface Answer {
  status: number
  headers: Headers
  /** Whatever the JSON says: a test looks into bodies of every shape, wrong ones included. */
  body: ReturnType<typeof JSON.parse>
}

export interface HttpWorldWishes {
  registration?: 'open' | 'closed'
  /** How often something may fail, where the usual is not right. */
  limits?: Partial<Record<keyof typeof attemptLimits, AttemptLimit>>
  publicUrl?: string
  corsOrigins?: string[]
  trustedProxies?: string[]
  /** Where the cloud is; without, it cannot be reached. */
  cloudEndpoint?: string
  connectTemplateUrl?: string
  /** Settings of the git hosts, as environment variables; without, they cannot be reached. */
  git?: Record<string, string>
  clock?: () => Date
}

/** Nothing listens on the discard port. */
const nowhere = 'http://127.0.0.1:9'

/** A server of the features that need no engine on a database of its own, spoken to over real HTTP. */
export async function startHttpWorld(
  addRoutes: (app: App) => void = () => {},
  {
    registration = 'closed',
    limits,
    cloudEndpoint = nowhere,
    connectTemplateUrl,
    git = {},
    clock = () => new Date(),
    ...wishes
  }: HttpWorldWishes = {},
) {
  const { db, ofOrganization, close } = await openTestDatabase()
  const logged: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) })
  const callers = createCallers((credential) => findCaller(db, credential))
  const attempts = createAttempts({ ...attemptLimits, ...limits })
  const answerOnce = createAnswerOnce({ key: randomBytes(32), clock: () => new Date() })
  const app = await createApp({ log, callers, ofOrganization, answerOnce, attempts, ...wishes })
  await serveOpenApi(app)
  serveSchemas(app)
  const openPage = createOpenPage('a cursor secret for tests')
  process.env.AWS_ACCESS_KEY_ID = 'operator'
  process.env.AWS_SECRET_ACCESS_KEY = 'operator'
  const cloud = openCloud({ endpoint: cloudEndpoint })
  const seal = createSeal(randomBytes(32))
  const settings = loadConfig({
    cwd: tmpdir(),
    env: { SLUICE_GITHUB_URL: nowhere, SLUICE_GITLAB_URL: nowhere, ...git },
  })
  const hosts = openGitHosts(settings, { clock })
  const gitSeal = createSeal(randomBytes(32))
  const tokens = createConnectionTokens({ db, seal: gitSeal, hosts, clock })
  const states = createGitStates({ seal: createSeal(randomBytes(32)), clock })
  const gitParts = { hosts, tokens, gitSeal, states, returnOrigins: wishes.corsOrigins ?? [] }
  const engine = connectEngine(nowhere)
  const stateTokens = createStateTokens(randomBytes(32))
  const bell = new Bell()
  const shared = { db, engine, cloud, openPage, seal, stateTokens, bell, clock, log, whenOver: [instanceRunEnded] }
  const parts = { ...gitParts, ...shared, registration, connectTemplateUrl }
  serveAuth(app, parts)
  serveOrganizations(app)
  serveUsers(app, parts)
  serveMemberships(app, parts)
  serveInvitations(app, parts)
  serveServiceAccounts(app, parts)
  serveApiKeys(app, parts)
  serveAuditEvents(app, parts)
  serveModuleDefinitions(app, parts)
  serveModuleVersions(app, parts)
  serveModuleInstances(app, parts)
  servePipelines(app, parts)
  servePipelineVersions(app, parts)
  servePipelineRuns(app, parts)
  servePipelineStepExecutions(app, parts)
  serveStepLogs(app, parts)
  serveStacks(app, parts)
  serveValues(app)
  serveIacPlans(app, parts)
  serveIacResources(app, parts)
  serveIacStates(app, parts)
  serveStateBackend(app, parts)
  serveProjects(app, parts)
  serveEnvironments(app, parts)
  serveCloudAccounts(app, parts)
  serveExecutionEnvironments(app, parts)
  serveCodeSources(app, parts)
  serveGithostaInstallations(app, parts)
  serveGithostbConnections(app, parts)
  serveGithostbInstances(app, parts)
  serveDefaultValueDefinitions(app, parts)
  serveDefaultValues(app, parts)
  serveInfrastructureEvents(app, parts)
  receiveGitDeliveries(app, parts)
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
    cloud,
    seal,
    stateTokens,
    gitParts,
    logged,
    ask,
    send: (path: string, key: string, body: string) =>
      ask(path, { key, method: 'POST', body, headers: { 'content-type': 'application/json' } }),
    async [Symbol.asyncDispose]() {
      await app.close()
      cloud.close()
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
