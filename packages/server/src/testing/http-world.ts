import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import type { Role, Route } from '@sluice/contract'
import { parseOutboundRules } from '@sluice/outbound/addresses'
import { createOutboundFetch } from '@sluice/outbound/fetch'
import { createOutbound } from '@sluice/outbound/send'
import { pino } from 'pino'
import { openApi } from '../api.ts'
import { cloudOf } from '../cloud/domain.ts'
import { domains } from '../domains.ts'
import { insertCodeSource } from '../git/code-sources/store.ts'
import { gitOf } from '../git/domain.ts'
import { findTextsOf, issuersOf } from '../identity/domain.ts'
import { createKeysOf } from '../identity/id-tokens/issuer-keys.ts'
import { apiKeys, memberships, organizations, users } from '../identity/organizations/tables.ts'
import type { FindTexts } from '../identity/sign-in-domains/routes.ts'
import { createClientOf } from '../identity/single-sign-on/client.ts'
import { stateTokensOf } from '../infrastructure/domain.ts'
import { moduleDefinitions, moduleVersions } from '../modules/module-definitions/tables.ts'
import { moduleInstances } from '../modules/module-instances/tables.ts'
import { attemptTokensOf, readyStepsOf, runnerPaceOf, runnerWaysOf, taskTokensOf } from '../pipelines/domain.ts'
import { guardedBy } from '../pipelines/runner/address-guard.ts'
import { defaultPace, type RunnerPace } from '../pipelines/runner/claims.ts'
import { Admission } from '../platform/admission/admission.ts'
import type { Archive } from '../platform/archive/archive.ts'
import { newApiKey, storedApiKey } from '../platform/auth/api-key.ts'
import { type AttemptLimit, attemptLimits, createAttempts } from '../platform/auth/attempts.ts'
import type { SessionLife } from '../platform/auth/session-cookie.ts'
import { type Clock, createClock, systemClock } from '../platform/clock.ts'
import { loadConfig } from '../platform/config/load.ts'
import type { Config } from '../platform/config/settings.ts'
import { createKeys } from '../platform/crypto/keys.ts'
import { createSeal } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db/open.ts'
import type { Platform } from '../platform/domain.ts'
import { connectEngine } from '../platform/engine/client.ts'
import { createWakeUps } from '../platform/engine/wake-ups.ts'
import type { App } from '../platform/http/app.ts'
import { OwnRequests } from '../platform/http/own-requests.ts'
import { createOpenPage } from '../platform/http/pagination.ts'
import { newId } from '../platform/ids.ts'
import { Limits } from '../platform/limits/limits.ts'
import type { LimitValues } from '../platform/limits/table.ts'
import { areasOf } from '../platform/log/areas.ts'
import { createMetrics } from '../platform/metrics/metrics.ts'
import { valueSealOf } from '../projects/domain.ts'
import { environments, projects } from '../projects/projects/tables.ts'
import { openTestDatabase } from './database.ts'

/** Response with everything a test needs to check the API contract. */
export interface Answer {
  status: number
  headers: Headers
  /** Untyped, because tests also inspect invalid bodies. */
  body: ReturnType<typeof JSON.parse>
}

export interface HttpWorldOptions {
  registration?: 'open' | 'closed'
  modulePublishers?: string[]
  /** Limits for failed attempts that differ from the default. */
  limits?: Partial<Record<keyof typeof attemptLimits, AttemptLimit>>
  /** Limits of organizations; unlimited by default. */
  mosts?: LimitValues
  /** Clock of the rate limits; the process's by default. */
  rateClock?: Pick<Clock, 'monotonicMs' | 'realMs'>
  /** How long requests may wait for connections; a minute by default. */
  admissionTargetMs?: number
  /** Tools that agents may use at `/mcp`. */
  mcp?: 'off' | 'on'
  mcpActions?: 'off' | 'on'
  publicUrl?: string
  corsOrigins?: string[]
  trustedProxies?: string[]
  /** Session lifetimes that differ from the default. */
  sessionLife?: Omit<SessionLife, 'clock'>
  /** Archive of completed logs; none by default. */
  archive?: Archive
  /** Cloud endpoint; unreachable by default. */
  cloudEndpoint?: string
  connectTemplateUrl?: string
  /** Settings of the Git hosts, as environment variables; unreachable by default. */
  git?: Record<string, string>
  /** Intervals of runners that differ from the default. */
  runnerPace?: Partial<RunnerPace>
  /** Hosts outside the public internet that requests may reach. */
  outboundAllow?: string[]
  /** API address for tasks in the cloud; null: none. */
  runnerUrl?: string | null
  /** Settings of the installation's identity provider, as environment variables. */
  oidc?: Record<string, string>
  /** Finds TXT records in the DNS. */
  findTexts?: FindTexts
  clock?: () => Date
}

/** Returns the route under a separate path, for tests with a handler of their own. */
export const probeOf = <R extends Route>(route: R): R => ({ ...route, path: `/probe${route.path}` })

/** Default session lifetimes: two weeks unused, ninety days in total. */
export const defaultSessionLife: SessionLife = { unusedS: 14 * 86_400, longestS: 90 * 86_400, clock: systemClock.now }

/** Nothing listens on the discard port. */
const nowhere = 'http://127.0.0.1:9'

/** Starts the API with its own database and without an engine, reachable over HTTP. */
export async function startHttpWorld(
  addRoutes: (app: App) => void = () => {},
  {
    limits: attemptWishes,
    cloudEndpoint = nowhere,
    archive,
    git = {},
    runnerPace = {},
    outboundAllow = [],
    runnerUrl = 'https://sluice.example.com',
    oidc = {},
    findTexts = async () => [],
    clock = () => new Date(),
    sessionLife: life = defaultSessionLife,
    mosts = {},
    rateClock = systemClock,
    ...wishes
  }: HttpWorldOptions = {},
) {
  const { db, ofOrganization, close } = await openTestDatabase()
  const logged: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) })
  process.env.AWS_ACCESS_KEY_ID = 'operator'
  process.env.AWS_SECRET_ACCESS_KEY = 'operator'
  const unreachable = { SLUICE_GITHUB_URL: nowhere, SLUICE_GITLAB_URL: nowhere }
  const config: Config = {
    ...loadConfig({ cwd: tmpdir(), env: { ...unreachable, ...git, ...oidc } }),
    admissionTargetMs: 60_000, // tests run on busy machines
    ...wishes,
    cloudEndpoint,
    runnerImage: 'sluice-runner:test',
    runnerUrl: runnerUrl ?? undefined,
    runnerToken: randomBytes(32).toString('base64url'),
    sessionIdleHours: life.unusedS / 3_600,
    sessionMaxHours: life.longestS / 3_600,
    signInNote: 'Ask ops@example.com for an account.',
    smtpUrl: 'smtp://127.0.0.1:9',
  }
  const admission = new Admission({ targetMs: config.admissionTargetMs, nowMs: rateClock.monotonicMs })
  const engine = { ...connectEngine({ url: nowhere }), knowsWorker: async () => undefined }
  const keys = createKeys([randomBytes(32)])
  const undo: (() => unknown)[] = []
  const platform: Platform = {
    domains,
    config,
    database: { db, ofOrganization },
    engine,
    keys,
    clock: createClock(clock),
    log,
    logs: areasOf(log),
    metrics: createMetrics(),
    spans: undefined,
    limits: new Limits(mosts, rateClock, admission),
    wakeUps: createWakeUps({ engine, clock: systemClock, log }),
    archive,
    openPage: createOpenPage(keys.secretsFor('cursors')),
    ownRequests: new OwnRequests(async () => app),
    hasOneTenant: false,
    isWanted: () => true,
    isClockRight: () => undefined,
    closeAfterEngine: (step) => undo.push(step),
  }
  const fetchOutside = createOutboundFetch(createOutbound(outboundAllow))
  const keysOf = createKeysOf({ fetch: fetchOutside, clock })
  const clientOf = createClientOf({ ways: { guarded: fetchOutside, operator: fetchOutside }, clock })
  issuersOf.provide(platform, { keysOf, operatorKeysOf: keysOf, clientOf })
  findTextsOf.provide(platform, findTexts)
  runnerPaceOf.provide(platform, { ...defaultPace, ...runnerPace })
  const toHere = ['127.0.0.1']
  runnerWaysOf.provide(platform, {
    sendToRegistry: createOutbound(toHere),
    guard: guardedBy(parseOutboundRules(toHere)),
  })
  const attempts = createAttempts({ ...attemptLimits, ...attemptWishes })
  const app: App = await openApi(platform, { metrics: platform.metrics, attempts })
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
    cloud: cloudOf(platform),
    seal: valueSealOf(platform),
    archiveSeal: createSeal(keys.secretsFor('archive')),
    stateTokens: stateTokensOf(platform),
    runnerToken: config.runnerToken ?? '',
    attemptTokens: attemptTokensOf(platform),
    taskTokens: taskTokensOf(platform),
    ready: readyStepsOf(platform),
    gitParts: gitOf(platform),
    logged,
    ask,
    send: (path: string, key: string, body: string) =>
      ask(path, { key, method: 'POST', body, headers: { 'content-type': 'application/json' } }),
    async [Symbol.asyncDispose]() {
      await app.close()
      for (const step of undo) await step()
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

/** Creates an organization with one member and returns the member's API key. */
/** Inserts a connected repository that no test reads. */
export const seedCodeSource = (db: Db, organizationId: string, repoUrl: string) =>
  insertCodeSource(db, organizationId, {
    type: 'GITHOSTA',
    repoUrl,
    repoName: new URL(repoUrl).pathname.slice(1),
    visibility: 'PUBLIC',
    auth: { kind: 'none' },
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

/** Creates a definition, a project and environment, and `count` instances. Returns their ids, oldest first. */
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
