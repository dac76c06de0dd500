import { resolve } from 'node:path'
import { outboundRules } from '@sluice/outbound/addresses'
import { findTexts } from '@sluice/outbound/dns'
import { fetchThrough } from '@sluice/outbound/fetch'
import { createOutbound } from '@sluice/outbound/send'
import { endpointOf } from '@sluice/runner/isolation/network'
import { expectGitThatPins } from '@sluice/runner/sources/git-version'
import type { Logger } from 'pino'
import manifest from '../package.json' with { type: 'json' }
import { serveApi } from './api.ts'
import { openCloud } from './cloud/adapter/access.ts'
import { openArchive } from './cloud/adapter/archive.ts'
import { type CalledPlace, type ObservedCall, spanOfCall } from './cloud/adapter/observe.ts'
import { addressForTasks } from './cloud/execution-environments/address-for-tasks.ts'
import { forgetRunnerTools } from './cloud/execution-environments/runner-tools.ts'
import { DeploymentReader } from './delivery/deployment-archives/read.ts'
import { createReleaseDigests } from './delivery/deployments/approvals/release-digest.ts'
import { createIntake } from './delivery/infrastructure-events/intake.ts'
import { forgetEvents } from './delivery/infrastructure-events/retention.ts'
import { openGitHosts } from './git/adapter/hosts.ts'
import { createGitStates } from './git/git-states/state.ts'
import { createConnectionTokens } from './git/githostb-connections/tokens.ts'
import { createSignHead } from './identity/audit-events/heads.ts'
import { forgetAuditEvents } from './identity/audit-events/retention.ts'
import { findCaller } from './identity/auth/store.ts'
import { forgetDeviceSignIns } from './identity/device-sign-ins/store.ts'
import { createKeysOf } from './identity/id-tokens/issuer-keys.ts'
import { bootstrap, defaultFirstOrganization, type FirstOrganization } from './identity/organizations/bootstrap.ts'
import { createClientOf } from './identity/single-sign-on/client.ts'
import { installationProviderOf } from './identity/single-sign-on/installation.ts'
import { forgetSpentTokens } from './identity/single-sign-on/store.ts'
import { instanceRunEnded } from './infrastructure/instance-runs/ended.ts'
import { lookEnded } from './infrastructure/stack-drift/ended.ts'
import { forgetChanges } from './interface/changes/store.ts'
import { serveConsole } from './interface/console/routes.ts'
import { serveProcessPort } from './interface/health/process-port.ts'
import { createAnswerOnce } from './interface/idempotency/answer-once.ts'
import { forgetAnswers } from './interface/idempotency/forget.ts'
import { findScopes } from './interface/scopes/find.ts'
import { tellPlace } from './interface/scopes/tell.ts'
import { forgetNotifications } from './notifications/notification-deliveries/store.ts'
import { forgetNotificationEvents } from './notifications/notification-events/store.ts'
import { unsubscribePath, unsubscribeToken } from './notifications/people/unsubscribe-link.ts'
import { forgetSlackPresses } from './notifications/slack-presses/store.ts'
import { forgetDeliveries } from './pipelines/git-deliveries/store.ts'
import { runEnded } from './pipelines/pipeline-runs/ended.ts'
import type { WhenOver } from './pipelines/pipeline-runs/look.ts'
import { guardedBy } from './pipelines/runner/address-guard.ts'
import { createAttemptTokens } from './pipelines/runner/attempt-tokens.ts'
import { onClock, paceWhereAlone, usualPace } from './pipelines/runner/claims.ts'
import { startEmbeddedRunner } from './pipelines/runner/embedded.ts'
import { ReadySteps } from './pipelines/runner/ready.ts'
import { orOfPools, sharedRunners } from './pipelines/runner/runner-tokens.ts'
import { orOfTasks } from './pipelines/runner-tasks/scope.ts'
import { createTaskTokens } from './pipelines/runner-tasks/tokens.ts'
import { Bell } from './pipelines/step-logs/bell.ts'
import { LogReader } from './pipelines/step-logs/read.ts'
import { forgetStepLogs } from './pipelines/step-logs/retention.ts'
import { attemptLimits, createAttempts } from './platform/auth/attempts.ts'
import { createCallers } from './platform/auth/callers.ts'
import { watchCertificates } from './platform/certificate-expiry.ts'
import { type Clock, createFastClock, systemClock } from './platform/clock.ts'
import { type ClockWatch, startClockWatch } from './platform/clock-watch.ts'
import { exposureOf } from './platform/config/exposure.ts'
import type { Config } from './platform/config/settings.ts'
import { expectKnownKeys } from './platform/crypto/known-keys.ts'
import { createSeal } from './platform/crypto/seal.ts'
import { encryptionKeysOf } from './platform/data-dir/keys.ts'
import { type DataDir, openDataDir } from './platform/data-dir/open.ts'
import { type Forget, startForgetting } from './platform/db/forgetting.ts'
import { locationOf } from './platform/db/location.ts'
import { type Db, openDatabase } from './platform/db/open.ts'
import type { StatusChange } from './platform/db/told.ts'
import { withClock } from './platform/engine/client.ts'
import { type EngineConnection, openEmbeddedEngine, openExternalEngine } from './platform/engine/engine.ts'
import { createWakeUps } from './platform/engine/wake-ups.ts'
import { type App, createApp } from './platform/http/app.ts'
import { Drain, letGoOfConnections } from './platform/http/connections/drain.ts'
import { listenUntrusting, trustsThisMachine } from './platform/http/connections/untrusting-listener.ts'
import { type Held, holdRequests } from './platform/http/hold.ts'
import { OwnRequests } from './platform/http/own-requests.ts'
import { createOpenPage } from './platform/http/pagination.ts'
import { Limits } from './platform/limits/limits.ts'
import { mostsOf } from './platform/limits/table.ts'
import { areasOf, type LogLevelSettings, setLevels } from './platform/log/areas.ts'
import { createLog } from './platform/log/log.ts'
import { logRequests } from './platform/log/requests.ts'
import { workIds } from './platform/log/work.ts'
import { measureArchive } from './platform/metrics/archive.ts'
import { measureEngine } from './platform/metrics/engine.ts'
import { createMetrics, type Metrics } from './platform/metrics/metrics.ts'
import { measureRequests } from './platform/metrics/requests.ts'
import { present } from './platform/present.ts'
import { noteSpan, type Spans, traceOfLine } from './platform/traces/present.ts'
import { traceRequests } from './platform/traces/requests.ts'
import { readRightsIn, withAccess } from './projects/role-grants/access.ts'
import { forgetStateVersions } from './stacks/iac-states/retention.ts'
import { createStateTokens } from './stacks/iac-states/token.ts'
import { createWorkerRole, type WorkerRole } from './worker.ts'

/** So much is read of the manifest of an image. Bytes. */
const mostOfManifest = 4 * 1024 * 1024

export type Server = {
  /** Where the API listens; undefined for a process without the role `api`. */
  url: string | undefined
  db: Db
  /** The first owner's API key, when this start made the first organization. */
  firstToken: string | undefined
  /** Logs more or less from now on. */
  setLogLevels(settings: LogLevelSettings): void
  /**
   * Says that it is not ready any more, and after `SLUICE_DRAIN_SECONDS` stops taking work, lets what runs finish its
   * step, ends the engine if it is ours, and lets go of the data.
   */
  stop(): Promise<void>
}

export type ServerOptions = {
  /** What an empty database starts with. */
  firstOrganization?: FirstOrganization
  /** The data directory, where the caller has opened it and will close it. */
  dataDir?: DataDir
  /** Whether all is there that the caller puts in at the start; until then the service is not ready. */
  isPrepared?: () => boolean
  /** The time of the service, in place of the one that the settings ask for; tests of long waits move it. */
  clock?: Clock
  /** Whether all organizations are one tenant's, however many: for tests, where no program can be isolated as well. */
  hasOneTenant?: boolean
}

/**
 * Starts Sluice: the one place that knows every part. What was started is stopped again, in reverse, also on failure.
 */
export async function startServer(config: Config, options: ServerOptions = {}): Promise<Server> {
  const { firstOrganization = defaultFirstOrganization, clock = clockOf(config), hasOneTenant = false } = options
  const { isPrepared = () => true } = options
  const undo: (() => unknown)[] = []
  const undoAll = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  const drain = new Drain(config.drainSeconds * 1_000)
  const drainAndStop = () => drain.begin().then(undoAll)
  try {
    const mixin = config.otlpEndpoint === undefined ? undefined : traceOfLine
    const log = createLog({ level: config.logLevel, format: config.logFormat, mixin })
    const logs = areasOf(log)
    const setLogLevels = (settings: LogLevelSettings) => setLevels(log, logs, settings)
    setLogLevels(config)
    if (config.roles.includes('runner')) await expectGitThatPins()
    const dataDir = options.dataDir ?? (await openDataDir(config.dataDir))
    if (!options.dataDir) undo.push(() => dataDir.close())
    const spans = await openSpans(config, log)
    undo.push(() => spans?.stop())

    const metrics = createMetrics()
    const location = locationOf(config, dataDir.inside('database'))
    // At once: a first start spends its time on making an empty database, in which the engine starts as well.
    const onChange = ({ kind, ...change }: StatusChange) => log.info({ ...workIds(), ...change }, `a ${kind} moved`)
    const opening = [
      openDatabase(location, { metrics, onChange }),
      openEngine(config, dataDir, { spans, log: logs.engine }),
    ] as const
    const [openedDatabase, openedEngine] = await Promise.allSettled(opening)
    if (openedDatabase.status === 'fulfilled') undo.push(() => openedDatabase.value.close())
    const onCall = (call: ObservedCall, place: CalledPlace) => {
      const { seconds, ...labels } = call
      if (spans) noteSpan(spanOfCall(call, place))
      metrics.cloudCalls.observe(labels, seconds)
      logs.cloud.debug(
        { ...workIds(), ...labels, ...place, tookMs: Math.round(seconds * 1_000) },
        'the cloud was called',
      )
    }
    const cloud = openCloud(present({ endpoint: config.cloudEndpoint, log: logs.cloud, onCall }))
    undo.push(() => cloud.close()) // after the engine has let go of the handlers that use it
    if (openedEngine.status === 'fulfilled') undo.push(() => openedEngine.value.stop())
    const [database, connection] = await Promise.all(opening)
    const engine = withClock(measureEngine(connection, metrics), clock)
    const { db, ofOrganization } = database
    // A worker with an engine of its own works on with a wrong clock: no other worker could take over.
    const canWithdraw = config.roles.includes('worker') && config.engineIngressUrl !== undefined
    let clockWatch: ClockWatch | undefined
    const isClockRight = () => (canWithdraw ? clockWatch?.isRight() : undefined)
    const keys = await encryptionKeysOf(config, dataDir.encryptionKey)
    await expectKnownKeys(db, keys)
    const token = config.bootstrapToken
    const first = token === undefined ? firstOrganization : { ...firstOrganization, token }

    const hosts = openGitHosts(config, { clock: systemClock.now })
    const gitSeal = createSeal(keys.secretsFor('git hosts'))
    const tokens = createConnectionTokens({ ofOrganization, seal: gitSeal, hosts, clock: systemClock.now })
    const seal = createSeal(keys.secretsFor('default values'))
    const channelSeal = createSeal(keys.secretsFor('notification channels'))
    const stateTokens = createStateTokens(keys.secretsFor('state tokens'))
    const bell = new Bell()
    const opened = openArchive(config)
    const archive = opened && measureArchive(opened, metrics)
    undo.push(() => archive?.close())
    const archiveSeal = createSeal(keys.secretsFor('archive'))
    const logReader = new LogReader({ archive, archiveSeal })
    const deploymentReader = new DeploymentReader({ archive, archiveSeal, log })
    const limits = new Limits(mostsOf(config), clock)
    const onEvent = (seconds: number, result: 'new' | 'repeated') => metrics.cloudEvents.observe({ result }, seconds)
    const wakeUps = createWakeUps({ engine, clock, log: logs.engine, spans })
    undo.push(() => wakeUps.stop())
    const intake = createIntake({ db, wakeUps, clock, onEvent })
    const ready = new ReadySteps()
    const runnerTokens = keys.secretsFor('runners').map((secret) => `slr_${secret.toString('base64url')}`)
    const startRunner = (url: string) => {
      const runner = startEmbeddedRunner({
        url,
        token: runnerTokens[0] ?? '',
        settings: runnerSettings(config, dataDir),
        log: logs.runner,
      })
      undo.push(() => runner.stop())
    }
    const whenOver: WhenOver = (tx, run, now) => runEnded(tx, run, now, { instanceRunEnded, lookEnded, log, limits })
    const hasSharedRunners = config.sharedRunners === 'on'
    const taskTokens = createTaskTokens(keys.secretsFor('tasks'))
    const { runnerImage } = config
    const runnerUrl = addressForTasks(config)
    const sendsMail = config.smtpUrl !== undefined
    const unsubscribeSecrets = keys.secretsFor('unsubscribing')
    const signHead = createSignHead(keys)
    const releaseDigests = createReleaseDigests(keys.secretsFor('releases'))
    const served = Promise.withResolvers<App>()
    served.promise.catch(() => {}) // whoever asks is told
    let alone: Promise<App> | undefined
    const ownRequests = new OwnRequests(async () => {
      if (config.roles.includes('api')) return served.promise
      // With measurements of its own: those that are served may count the same records already.
      alone ??= openApp({ metrics: createMetrics() })
      return alone
    })
    undo.push(() =>
      alone?.then(
        (app) => app.close(),
        () => {},
      ),
    )
    /** All operations, which a process that serves nobody asks from inside alone. */
    const openApp = async ({ metrics, prepare }: { metrics: Metrics; prepare?: (app: App) => void }): Promise<App> => {
      const sessionLife = {
        unusedS: config.sessionIdleHours * 3600,
        longestS: config.sessionMaxHours * 3600,
        clock: clock.now,
      }
      const callers = createCallers(
        async (credential) => withAccess(ofOrganization, await findCaller(db, credential, sessionLife)),
        clock.monotonicMs,
      )
      const { publicUrl, trustedProxies, registration, corsOrigins, connectTemplateUrl } = config
      const answerOnce = createAnswerOnce({ secrets: keys.secretsFor('answers'), clock: clock.now })
      const app = await createApp({
        log: logs.requests,
        callers,
        ofOrganization,
        answerOnce,
        readRights: readRightsIn(db, sessionLife),
        attempts: createAttempts(attemptLimits, clock),
        sessionLife,
        limits,
        findScopes,
        tellPlace,
        ownRequests,
        corsOrigins,
        publicUrl,
        trustedProxies,
      })
      if (spans) traceRequests(app, spans)
      measureRequests(app, metrics)
      logRequests(app, { fromMs: config.logRequestsMs, oneIn: config.logRequestsEvery })
      letGoOfConnections(app, drain)
      prepare?.(app)
      const openPage = createOpenPage(keys.secretsFor('cursors'))
      const states = createGitStates({ seal: createSeal(keys.secretsFor('git states')), clock: clock.now })
      const mail = { sendsMail, unsubscribeSecrets, slackLinkSecrets: keys.secretsFor('slack links') }
      const git = { hosts, tokens, gitSeal, channelSeal, states, returnOrigins: corsOrigins ?? [] }
      const identity = {
        ...issuersOf(config),
        installationProvider: installationProviderOf(db, config),
        signInNote: config.signInNote,
        identitySeal: createSeal(keys.secretsFor('identity providers')),
        attemptSeal: createSeal(keys.secretsFor('sign-ins')),
        findTexts,
      }
      const shared = {
        db,
        ofOrganization,
        engine,
        knowsWorker: engine.knowsWorker,
        isClockRight,
        cloud,
        openPage,
        seal,
        stateTokens,
        bell,
        logReader,
        deploymentReader,
        intake,
        clock: clock.now,
        log,
        whenOver,
      }
      const ofPools = orOfPools(db, clock.now, sharedRunners([...runnerTokens, config.runnerToken]))
      const runners = {
        ready,
        hasSharedRunners,
        attemptTokens: createAttemptTokens(keys.secretsFor('attempts')),
        buildSecrets: keys.secretsFor('builds'),
        builder: { address: ownAddress(config), release: manifest.version },
        sendToRegistry: createOutbound(config.outboundAllow, { timeoutMs: 20_000, maxBytes: mostOfManifest }),
        taskTokens,
        runnerImage,
        runnerUrl,
        findRunnerScope: orOfTasks(db, taskTokens, ofPools),
        runnerPace: onClock('url' in location ? usualPace : paceWhereAlone, clock),
        hasOneTenant,
        guard: guardedBy(outboundRules(config.outboundAllow ?? [])),
        cloudEndpoint: config.cloudEndpoint,
      }
      const parts = {
        ...git,
        ...mail,
        ...shared,
        ...runners,
        ...identity,
        registration,
        releaseDigests,
        modulePublishers: config.modulePublishers ?? [],
        connectTemplateUrl,
        auditRetentionDays: config.auditRetentionDays,
        signHead,
        isWanted: () => isPrepared() && !drain.isUnderWay,
        metrics,
        metricsToken: config.metricsToken,
        mcp: config.mcp,
        mcpActions: config.mcpActions,
        agentSecrets: keys.secretsFor('agents'),
      }
      await serveApi(app, parts)
      return app
    }
    let workerRole: WorkerRole | undefined
    if (config.roles.includes('worker')) {
      const outside = { database, engine, cloud, archive, hosts, tokens }
      const sealed = { seal, channelSeal, archiveSeal, taskTokens }
      const unsubscribeUrl = (id: string) =>
        ownAddress(config) + unsubscribePath + unsubscribeToken(unsubscribeSecrets, id)
      const onSentAgain = (object: string) => metrics.sentAgain.inc({ object })
      const told = { limits, ready, ownRequests, wakeUps, onSentAgain, intake, whenOver }
      const linkTo = (page: string) => `${ownAddress(config)}/console/${page}`
      const own = {
        config,
        hasSharedRunners,
        runnerUrl,
        linkTo,
        digestOf: releaseDigests.of,
        unsubscribeUrl,
        signHead,
        clock,
        log,
        engineLog: logs.engine,
      }
      workerRole = createWorkerRole({ ...own, ...outside, ...sealed, ...told })
      const certificates = watchCertificates(config, metrics, log)
      undo.push(() => certificates.stop())
    }
    undo.push(() => workerRole?.stop())
    if ('url' in location) {
      const onOffset = (offsetMs: number) => metrics.clockOffset.set(offsetMs / 1_000)
      const onChange = async (isRight: boolean) => {
        if (canWithdraw) await (isRight ? workerRole?.start() : workerRole?.stop())
      }
      clockWatch = await startClockWatch({ db, now: systemClock.now, onOffset, onChange, log })
    }
    undo.push(() => clockWatch?.stop())
    if (isClockRight() !== false) await workerRole?.start()
    if (!config.roles.includes('api')) {
      if (config.roles.includes('runner')) {
        log.warn(movingRunners)
        startRunner(ownAddress(config))
      }
      const { metricsToken, host, port } = config
      if (workerRole || metricsToken !== undefined) {
        const { knowsWorker, lastMessageAt } = engine
        const isWanted = () => true // its end closes the port first
        const health = { engine, knowsWorker, isClockRight, isWanted, lastMessageAt }
        const served = await serveProcessPort({ db, metrics, metricsToken, clock: clock.now, ...health, host, port })
        undo.push(() => served.stop())
      }
      // Without a drain: the engine calls another worker as soon as this one closes its port.
      return { url: undefined, db, firstToken: await bootstrap(db, first), setLogLevels, stop: undoAll }
    }

    let held: Held | undefined
    const app = await openApp({
      metrics,
      prepare: (made) => {
        held = holdRequests(made)
      },
    })
    const byDatabase = systemClock.now // what is old enough to go is dated by the database
    const forgetting = startForgetting({ db, clock: byDatabase, log, forget: whatIsForgotten(config) })
    undo.push(() => forgetting.stop())
    const forgettingChanges = startForgetting({ db, clock: byDatabase, log, forget: [forgetChanges] }, 60_000)
    undo.push(() => forgettingChanges.stop())
    await serveConsole(app, { db })
    served.resolve(app)
    const url = await app.listen({ port: config.port, host: config.host })
    undo.push(() => app.close())
    undo.push(() => held?.turnAway())
    // Only now that nothing can fail any more: its key is shown once.
    const firstToken = await bootstrap(db, first)
    held?.letIn()
    const exposure = exposureOf(config)
    if (exposure !== undefined) log.warn(exposure)
    const forRunners = await openRunnerPort(app, config, dataDir)
    undo.push(() => forRunners?.close())
    if (config.roles.includes('runner')) startRunner(forRunners?.url ?? url)
    return { url, db, firstToken, setLogLevels, stop: drainAndStop }
  } catch (error) {
    await undoAll()
    throw error
  }
}

const clockOf = ({ clockSpeed, clockEpoch }: Config): Clock =>
  clockEpoch === undefined ? systemClock : createFastClock(clockSpeed, new Date(clockEpoch))

/** The ways to issuers of tokens: organizations may name any on the internet, the operator knows its own. */
function issuersOf({ outboundAllow = [], oidcIssuer }: Config) {
  const clock = systemClock.now
  const quick = { timeoutMs: 10_000 }
  const own = oidcIssuer === undefined ? [] : [new URL(oidcIssuer).hostname]
  const guarded = fetchThrough(createOutbound(outboundAllow, quick))
  const operator = fetchThrough(createOutbound([...outboundAllow, ...own], quick))
  return {
    keysOf: createKeysOf({ fetch: guarded, clock }),
    operatorKeysOf: createKeysOf({ fetch: operator, clock }),
    clientOf: createClientOf({ ways: { guarded, operator }, clock }),
  }
}

/** What goes by itself once it is over its time; of what has no time set, nothing. */
function whatIsForgotten(config: Config): Forget[] {
  const { auditRetentionDays, eventRetentionDays, stepLogRetentionDays, stateVersions } = config
  return [
    forgetAnswers,
    forgetDeliveries,
    forgetNotifications,
    forgetNotificationEvents,
    forgetSlackPresses,
    forgetSpentTokens,
    forgetDeviceSignIns,
    forgetRunnerTools,
    forgetAuditEvents(auditRetentionDays),
    ...(eventRetentionDays === undefined ? [] : [forgetEvents(eventRetentionDays)]),
    ...(stepLogRetentionDays === undefined ? [] : [forgetStepLogs(stepLogRetentionDays)]),
    ...(stateVersions === undefined ? [] : [forgetStateVersions(stateVersions)]),
  ]
}

/** Where people reach us, as far as it is known before we listen. */
const ownAddress = ({ publicUrl, host, port }: Config): string => publicUrl ?? `http://${host}:${port}`

/** For one version: the role used to be a process that had a database, an engine and a key. */
const movingRunners =
  'A runner needs none of DATABASE_URL, the engine and SLUICE_ENCRYPTION_KEY any more. Start it as ' +
  '`sluice runner --url <address of the API>` with SLUICE_RUNNER_TOKEN, which the API is started with too: see docs/reference/runners.md. ' +
  'The next version refuses the role runner without the role api.'

/** What a runner that we start is told. */
const runnerSettings = (config: Config, dataDir: DataDir) => ({
  SLUICE_RUNNER_DIR: dataDir.inside('runner'),
  SLUICE_RUNNER_CAPACITY: config.runnerCapacity?.toString(),
  SLUICE_IAC_TOOLS_DIR: config.iacToolsDir && resolve(config.iacToolsDir),
  SLUICE_IAC_CLI_CONFIG: config.iacCliConfig && resolve(config.iacCliConfig),
  SLUICE_RUNNER_ENDPOINTS: runnerEndpoints(config),
  SLUICE_OUTBOUND_ALLOW: config.outboundAllow?.join(','),
  // Programs that share the network of a trusted proxy could say that they are anybody.
  SLUICE_RUNNER_NETWORK:
    process.env.SLUICE_RUNNER_NETWORK ?? (trustsThisMachine(config.trustedProxies ?? []) ? 'own' : undefined),
})

/**
 * The port of runners and of programs of steps, where it is needed: as the operator says, or where our own runner is
 * beside a trusted proxy. The same one at each start, since programs outlive the service.
 */
async function openRunnerPort(app: App, config: Config, dataDir: DataDir) {
  const { runnerPort, host, roles, trustedProxies = [] } = config
  if (runnerPort !== undefined) return listenUntrusting(app, { port: runnerPort, host })
  if (trustedProxies.length === 0 || !roles.includes('runner')) return undefined
  const { runners: port } = await dataDir.ports(['runners'])
  return listenUntrusting(app, { port, host: '127.0.0.1' })
}

/** A cloud and git hosts on this machine are called by programs as well as by us. */
function runnerEndpoints({ cloudEndpoint, githubUrl, gitlabUrl }: Config): string | undefined {
  const own = [cloudEndpoint, githubUrl, gitlabUrl].map((url) => url && endpointOf(url))
  const listed = [process.env.SLUICE_RUNNER_ENDPOINTS, ...own].filter(Boolean).join(',')
  return listed === '' ? undefined : listed
}

/** Where spans go, if they are wanted: what sends them is loaded only then. */
async function openSpans(config: Config, log: Logger): Promise<Spans | undefined> {
  const { otlpEndpoint: endpoint, otlpHeaders: headers = [], otlpDelayMs: gatherMs, traceRatio: ratio } = config
  if (endpoint === undefined) return undefined
  const { sendSpans } = await import('./platform/traces/otlp.ts')
  return sendSpans({ endpoint, headers, ratio, gatherMs, serviceName: config.traceServiceName, log })
}

async function openEngine(
  config: Config,
  dataDir: DataDir,
  { spans, log }: { spans: Spans | undefined; log: Logger },
): Promise<EngineConnection> {
  const { engineIngressUrl, engineAdminUrl, workerHost: host } = config
  const finishMs = config.finishSeconds * 1_000
  const port = config.workerPort ?? (await dataDir.ports(['worker'])).worker
  if (engineIngressUrl !== undefined && engineAdminUrl !== undefined) {
    const worker = {
      host,
      port,
      url: config.workerUrl ?? `http://${host}:${port}`,
      identityKeys: config.engineIdentityKeys ?? [],
      finishMs,
      spans,
    }
    return openExternalEngine({ ingress: { url: engineIngressUrl }, admin: { url: engineAdminUrl }, worker, log })
  }
  return openEmbeddedEngine({ directory: dataDir.inside('engine'), worker: { host, port, finishMs, spans }, log })
}
