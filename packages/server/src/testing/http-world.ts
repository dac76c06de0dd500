import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import type { Role, Route } from '@sluice/contract'
import { outboundRules } from '@sluice/outbound/addresses'
import { fetchThrough } from '@sluice/outbound/fetch'
import { createOutbound } from '@sluice/outbound/send'
import { pino } from 'pino'
import { serveApi } from '../api.ts'
import { openCloud } from '../cloud/adapter/access.ts'
import { DeploymentReader } from '../delivery/deployment-archives/read.ts'
import { createReleaseDigests } from '../delivery/deployments/approvals/release-digest.ts'
import { createIntake } from '../delivery/infrastructure-events/intake.ts'
import { openGitHosts } from '../git/adapter/hosts.ts'
import { insertCodeSource } from '../git/code-sources/store.ts'
import { createGitStates } from '../git/git-states/state.ts'
import { createConnectionTokens } from '../git/githostb-connections/tokens.ts'
import { createSignHead } from '../identity/audit-events/heads.ts'
import { findCaller } from '../identity/auth/store.ts'
import { createKeysOf } from '../identity/id-tokens/issuer-keys.ts'
import { apiKeys, memberships, organizations, users } from '../identity/organizations/tables.ts'
import type { FindTexts } from '../identity/sign-in-domains/routes.ts'
import { createClientOf } from '../identity/single-sign-on/client.ts'
import { installationProviderOf } from '../identity/single-sign-on/installation.ts'
import { instanceRunEnded } from '../infrastructure/instance-runs/ended.ts'
import { lookEnded } from '../infrastructure/stack-drift/ended.ts'
import { createAnswerOnce } from '../interface/idempotency/answer-once.ts'
import { findScopes } from '../interface/scopes/find.ts'
import { tellPlace } from '../interface/scopes/tell.ts'
import { moduleDefinitions, moduleVersions } from '../modules/module-definitions/tables.ts'
import { moduleInstances } from '../modules/module-instances/tables.ts'
import { runEnded } from '../pipelines/pipeline-runs/ended.ts'
import type { WhenOver } from '../pipelines/pipeline-runs/look.ts'
import { guardedBy } from '../pipelines/runner/address-guard.ts'
import { createAttemptTokens } from '../pipelines/runner/attempt-tokens.ts'
import { type RunnerPace, usualPace } from '../pipelines/runner/claims.ts'
import { ReadySteps } from '../pipelines/runner/ready.ts'
import { orOfPools, sharedRunners } from '../pipelines/runner/runner-tokens.ts'
import { orOfTasks } from '../pipelines/runner-tasks/scope.ts'
import { createTaskTokens } from '../pipelines/runner-tasks/tokens.ts'
import { Bell } from '../pipelines/step-logs/bell.ts'
import { LogReader } from '../pipelines/step-logs/read.ts'
import type { Archive } from '../platform/archive/archive.ts'
import { newApiKey, storedApiKey } from '../platform/auth/api-key.ts'
import { type AttemptLimit, attemptLimits, createAttempts } from '../platform/auth/attempts.ts'
import { createCallers } from '../platform/auth/callers.ts'
import type { Credential } from '../platform/auth/credential.ts'
import type { SessionLife } from '../platform/auth/session-cookie.ts'
import { type Clock, createClock, systemClock } from '../platform/clock.ts'
import { loadConfig } from '../platform/config/load.ts'
import { createKeys } from '../platform/crypto/keys.ts'
import { createSeal } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db/open.ts'
import { connectEngine } from '../platform/engine/client.ts'
import { createWakeUps } from '../platform/engine/wake-ups.ts'
import { type App, createApp } from '../platform/http/app.ts'
import { OwnRequests } from '../platform/http/own-requests.ts'
import { createOpenPage } from '../platform/http/pagination.ts'
import { newId } from '../platform/ids.ts'
import { Limits } from '../platform/limits/limits.ts'
import type { Mosts } from '../platform/limits/table.ts'
import { createMetrics } from '../platform/metrics/metrics.ts'
import { environments, projects } from '../projects/projects/tables.ts'
import { readRightsIn, withAccess } from '../projects/role-grants/access.ts'
import { createStateTokens } from '../stacks/iac-states/token.ts'
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
  modulePublishers?: string[]
  /** How often something may fail, where the usual is not right. */
  limits?: Partial<Record<keyof typeof attemptLimits, AttemptLimit>>
  /** How much organizations may take; without, as much as they like. */
  mosts?: Mosts
  /** What the rate limits count by; the time of the process by default. */
  rateClock?: Pick<Clock, 'monotonicMs' | 'realMs'>
  /** What agents may do at `/mcp`. */
  mcp?: 'off' | 'on'
  mcpActions?: 'off' | 'on'
  publicUrl?: string
  corsOrigins?: string[]
  trustedProxies?: string[]
  /** How long sessions live, where the usual is not right. */
  sessionLife?: Omit<SessionLife, 'clock'>
  /** Where logs are that are over; without, nowhere. */
  archive?: Archive
  /** Where the cloud is; without, it cannot be reached. */
  cloudEndpoint?: string
  connectTemplateUrl?: string
  /** Settings of the git hosts, as environment variables; without, they cannot be reached. */
  git?: Record<string, string>
  /** How runners go about it, where the usual is not right. */
  runnerPace?: Partial<RunnerPace>
  /** Where requests may go beside the public internet. */
  outboundAllow?: string[]
  /** Where tasks in the cloud reach the API; null: nowhere. */
  runnerUrl?: string | null
  /** Settings of the installation's identity provider, as environment variables. */
  oidc?: Record<string, string>
  /** What names have in the DNS. */
  findTexts?: FindTexts
  clock?: () => Date
}

/** The same operation at a path of its own, for a test that answers it by itself. */
export const probeOf = <R extends Route>(route: R): R => ({ ...route, path: `/probe${route.path}` })

/** The usual: two weeks unused, ninety days in all. */
export const usualSessionLife: SessionLife = { unusedS: 14 * 86_400, longestS: 90 * 86_400, clock: systemClock.now }

/** Nothing listens on the discard port. */
const nowhere = 'http://127.0.0.1:9'

/** The API on a database of its own, without an engine, spoken to over real HTTP. */
export async function startHttpWorld(
  addRoutes: (app: App) => void = () => {},
  {
    registration = 'closed',
    modulePublishers = [],
    limits: attemptWishes,
    cloudEndpoint = nowhere,
    connectTemplateUrl,
    archive,
    git = {},
    runnerPace = {},
    outboundAllow = [],
    runnerUrl: tasksReach = 'https://sluice.example.com',
    oidc = {},
    findTexts = async () => [],
    clock = () => new Date(),
    sessionLife: life = usualSessionLife,
    mosts = {},
    rateClock = systemClock,
    mcp = 'off',
    mcpActions = 'off',
    ...wishes
  }: HttpWorldWishes = {},
) {
  const { db, ofOrganization, close } = await openTestDatabase()
  const logged: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) })
  const sessionLife = { ...life, clock }
  const findPrincipal = (credential: Credential) => findCaller(db, credential, sessionLife)
  const callers = createCallers(async (credential) => withAccess(ofOrganization, await findPrincipal(credential)))
  const attempts = createAttempts({ ...attemptLimits, ...attemptWishes })
  const answerOnce = createAnswerOnce({ secrets: [randomBytes(32)], clock: () => new Date() })
  const limits = new Limits(mosts, rateClock)
  const app: App = await createApp({
    log,
    callers,
    ofOrganization,
    answerOnce,
    findScopes,
    tellPlace,
    ownRequests: new OwnRequests(async () => app),
    readRights: readRightsIn(db, sessionLife),
    attempts,
    sessionLife,
    limits,
    ...wishes,
  })
  const releaseDigests = createReleaseDigests([randomBytes(32)])
  const openPage = createOpenPage([Buffer.from('a cursor secret for tests')])
  process.env.AWS_ACCESS_KEY_ID = 'operator'
  process.env.AWS_SECRET_ACCESS_KEY = 'operator'
  const cloud = openCloud({ endpoint: cloudEndpoint })
  const seal = createSeal([randomBytes(32)])
  const settings = loadConfig({
    cwd: tmpdir(),
    env: { SLUICE_GITHUB_URL: nowhere, SLUICE_GITLAB_URL: nowhere, ...git },
  })
  const hosts = openGitHosts(settings, { clock })
  const gitSeal = createSeal([randomBytes(32)])
  const channelSeal = createSeal([randomBytes(32)])
  const tokens = createConnectionTokens({ ofOrganization, seal: gitSeal, hosts, clock })
  const states = createGitStates({ seal: createSeal([randomBytes(32)]), clock })
  const gitParts = {
    hosts,
    tokens,
    gitSeal,
    channelSeal,
    sendsMail: true,
    ofOrganization,
    unsubscribeSecrets: [randomBytes(32)] as const,
    slackLinkSecrets: [randomBytes(32)] as const,
    states,
    returnOrigins: wishes.corsOrigins ?? [],
  }
  const engine = connectEngine({ url: nowhere })
  const stateTokens = createStateTokens([randomBytes(32)])
  const bell = new Bell()
  const archiveSeal = createSeal([randomBytes(32)])
  const logReader = new LogReader({ archive, archiveSeal })
  const deploymentReader = new DeploymentReader({ archive, archiveSeal, log })
  const whenOver: WhenOver = (tx, run, now) => runEnded(tx, run, now, { instanceRunEnded, lookEnded, log, limits })
  const intake = createIntake({
    db,
    wakeUps: createWakeUps({ engine, clock: systemClock, log }),
    clock: createClock(clock),
  })
  const knowsWorker = async () => undefined
  const shared = {
    db,
    engine,
    knowsWorker,
    isClockRight: () => undefined,
    cloud,
    openPage,
    seal,
    stateTokens,
    bell,
    logReader,
    deploymentReader,
    intake,
    clock,
    log,
    whenOver,
  }
  const runnerToken = randomBytes(32).toString('base64url')
  const runnerUrl = tasksReach ?? undefined
  const taskTokens = createTaskTokens([randomBytes(32)])
  const runners = {
    ready: new ReadySteps(),
    hasSharedRunners: true,
    attemptTokens: createAttemptTokens([randomBytes(32)]),
    buildSecrets: [randomBytes(32)] as const,
    builder: { address: 'https://sluice.example.com', release: '0.0.0' },
    sendToRegistry: createOutbound(['127.0.0.1']),
    taskTokens,
    runnerImage: 'sluice-runner:test',
    runnerUrl,
    findRunnerScope: orOfTasks(db, taskTokens, orOfPools(db, clock, sharedRunners([runnerToken]))),
    runnerPace: { ...usualPace, ...runnerPace },
    guard: guardedBy(outboundRules(['127.0.0.1'])),
    cloudEndpoint,
  }
  const fetchOutside = fetchThrough(createOutbound(outboundAllow))
  const keysOf = createKeysOf({ fetch: fetchOutside, clock })
  const identity = {
    keysOf,
    operatorKeysOf: keysOf,
    clientOf: createClientOf({ ways: { guarded: fetchOutside, operator: fetchOutside }, clock }),
    signInNote: 'Ask ops@example.com for an account.',
    installationProvider: installationProviderOf(db, loadConfig({ cwd: tmpdir(), env: oidc })),
    identitySeal: createSeal([randomBytes(32)]),
    attemptSeal: createSeal([randomBytes(32)]),
    findTexts,
  }
  const isWanted = () => true
  const parts = {
    ...gitParts,
    ...shared,
    ...runners,
    ...identity,
    registration,
    modulePublishers,
    releaseDigests,
    connectTemplateUrl,
    auditRetentionDays: 400,
    signHead: createSignHead(createKeys([randomBytes(32)])),
    isWanted,
    metrics: createMetrics(),
    metricsToken: undefined,
    mcp,
    mcpActions,
    agentSecrets: [randomBytes(32)] as const,
  }
  await serveApi(app, parts)
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
    ofOrganization,
    url,
    cloud,
    seal,
    archiveSeal,
    stateTokens,
    runnerToken,
    attemptTokens: runners.attemptTokens,
    taskTokens,
    ready: runners.ready,
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
/** A repository that is connected, and that nobody asks for anything. */
export const seedCodeSource = (db: Db, organizationId: string, repoUrl: string) =>
  insertCodeSource(db, organizationId, {
    ...{ type: 'GITHOSTA', repoUrl, repoName: new URL(repoUrl).pathname.slice(1) },
    ...{ visibility: 'PUBLIC', auth: { kind: 'none' } },
  })

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
