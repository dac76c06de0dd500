import { requireGitVersion } from '@sluice/runner/sources/git-version'
import { observeRequests, openApi } from './api.ts'
import { openArchive } from './cloud/adapter/archive.ts'
import { domains } from './domains.ts'
import { bootstrap, defaultFirstOrganization, type FirstOrganization } from './identity/organizations/bootstrap.ts'
import { serveConsole } from './interface/console/routes.ts'
import { serveProcessPort } from './interface/health/process-port.ts'
import { sharedRunnerTokensOf } from './pipelines/domain.ts'
import { startEmbeddedRunner } from './pipelines/runner/embedded.ts'
import { openRunnerPort, runnerSettings } from './pipelines/runner/own-runner.ts'
import { watchCertificates } from './platform/certificate-expiry.ts'
import { type Clock, createFastClock, systemClock } from './platform/clock.ts'
import { type ClockWatch, startClockWatch } from './platform/clock-watch.ts'
import { ownAddress } from './platform/config/addresses.ts'
import { exposureOf } from './platform/config/exposure.ts'
import type { Config } from './platform/config/settings.ts'
import type { DataDir } from './platform/data-dir/open.ts'
import { startRetentionTask } from './platform/db/forgetting.ts'
import type { Db } from './platform/db/open.ts'
import type { Platform } from './platform/domain.ts'
import type { App } from './platform/http/app.ts'
import { closeConnections, Drain } from './platform/http/connections/drain.ts'
import { type Held, holdRequests } from './platform/http/hold.ts'
import { OwnRequests } from './platform/http/own-requests.ts'
import type { LogLevelSettings } from './platform/log/areas.ts'
import { createMetrics } from './platform/metrics/metrics.ts'
import { type OpenPlatform, openPlatform } from './platform/open.ts'
import { createWorkerRole, type WorkerRole } from './worker.ts'

export type Server = {
  /** Address of the API; undefined for a process without the role `api`. */
  url: string | undefined
  db: Db
  /** API key of the first owner, if this start created the first organization. */
  firstToken: string | undefined
  /** Changes the log levels at run time. */
  setLogLevels(settings: LogLevelSettings): void
  /**
   * Becomes unready, accepts no work after `SLUICE_DRAIN_SECONDS`, finishes the current steps, stops an embedded engine
   * and closes the database.
   */
  stop(): Promise<void>
}

export type ServerOptions = {
  /** Organization that is created in an empty database. */
  firstOrganization?: FirstOrganization
  /** Data directory, if the caller opens and closes it. */
  dataDir?: DataDir
  /** Reports whether the caller has added its initial records. The service is not ready before. */
  isPrepared?: () => boolean
  /** Receives the name of each start step when the step starts, for progress output. */
  onStartStep?: (step: string) => void
  /** Clock that replaces the configured one, for tests of long waits. */
  clock?: Clock
  /** Whether all organizations count as one tenant, for tests on machines that cannot isolate programs. */
  hasOneTenant?: boolean
}

/** State of a starting process. `undo` registers the steps that its stop reverts. */
type Starting = OpenPlatform & {
  undo: (step: () => unknown) => void
  drain: Drain
  /** Resolves with the app that serves requests. */
  served: PromiseWithResolvers<App>
  firstOrganization: FirstOrganization
}

/** Starts Sluice. After a failure, stops what has started, in reverse order. */
export async function startServer(config: Config, options: ServerOptions = {}): Promise<Server> {
  const { firstOrganization = defaultFirstOrganization, clock = clockOf(config), hasOneTenant = false } = options
  const { isPrepared = () => true, dataDir, onStartStep = () => {} } = options
  const steps: (() => unknown)[] = []
  const undo = (step: () => unknown) => void steps.push(step)
  const undoAll = async () => {
    for (const step of steps.splice(0).reverse()) await step()
  }
  const drain = new Drain(config.drainSeconds * 1_000)
  const hasApi = config.roles.includes('api')
  try {
    onStartStep('Opening the database and starting the engine')
    if (config.roles.includes('runner')) await requireGitVersion()
    const served = Promise.withResolvers<App>()
    served.promise.catch(() => {}) // each request that waits for the app receives the error
    let alone: Promise<App> | undefined
    let clockWatch: ClockWatch | undefined
    // A worker with an embedded engine continues with a wrong clock, because no other worker could replace it.
    const canWithdraw = config.roles.includes('worker') && config.engineIngressUrl !== undefined
    const opened = await openPlatform(
      {
        domains,
        config,
        clock,
        hasOneTenant,
        dataDir,
        openArchive,
        isWanted: () => isPrepared() && !drain.isUnderWay,
        isClockRight: () => (canWithdraw ? clockWatch?.isRight() : undefined),
        ownRequests: new OwnRequests(() => {
          if (hasApi) return served.promise
          alone ??= openAlone(opened.platform)
          return alone
        }),
      },
      undo,
    )
    undo(() =>
      alone?.then(
        (app) => app.close(),
        () => {},
      ),
    )
    const { platform } = opened
    onStartStep(`Starting the roles ${config.roles.join(', ')}`)
    const workerRole = openWorkerRole(opened, undo)
    undo(() => workerRole?.stop())
    if (config.databaseUrl !== undefined) {
      clockWatch = await watchClock(platform, async (isRight) => {
        if (canWithdraw) await (isRight ? workerRole?.start() : workerRole?.stop())
      })
    }
    undo(() => clockWatch?.stop())
    if (platform.isClockRight() !== false) await workerRole?.start()
    const token = config.bootstrapToken
    const first = token === undefined ? firstOrganization : { ...firstOrganization, token }
    const starting = { ...opened, undo, drain, served, firstOrganization: first }
    const { db } = platform.database
    const { setLogLevels } = opened
    if (hasApi) {
      const stop = () => drain.begin().then(undoAll)
      return { ...(await startApi(starting)), db, setLogLevels, stop }
    }
    await startWithoutApi(starting, workerRole)
    // No drain is needed: the engine calls another worker as soon as this one closes its port.
    return { url: undefined, db, firstToken: await bootstrap(db, first), setLogLevels, stop: undoAll }
  } catch (error) {
    await undoAll()
    throw error
  }
}

const clockOf = ({ clockSpeed, clockEpoch }: Config): Clock =>
  clockEpoch === undefined ? systemClock : createFastClock(clockSpeed, new Date(clockEpoch))

/**
 * Opens all operations for a process without the role `api`, for requests of the process to itself. Uses its own
 * metrics registry, because the shared one may count the same records already.
 */
const openAlone = (platform: Platform): Promise<App> =>
  openApi(platform, { metrics: createMetrics(), prepare: (app) => observeRequests(app, platform) })

function openWorkerRole({ platform, engine }: OpenPlatform, undo: Starting['undo']): WorkerRole | undefined {
  const { config, metrics, log } = platform
  if (!config.roles.includes('worker')) return undefined
  const certificates = watchCertificates(config, metrics, log)
  undo(() => certificates.stop())
  return createWorkerRole(platform, engine)
}

function watchClock({ database, metrics, log }: Platform, onChange: (isRight: boolean) => Promise<void>) {
  const { db } = database
  const onOffset = (offsetMs: number) => metrics.clockOffset.set(offsetMs / 1_000)
  return startClockWatch({ db, now: systemClock.now, onOffset, onChange, log })
}

/** Serves the API and starts the periodic tasks of the role `api`. */
async function startApi({ platform, dataDir, undo, drain, served, firstOrganization }: Starting) {
  const { config, metrics, log, database } = platform
  const { db } = database
  let held: Held | undefined
  const prepare = (app: App) => {
    observeRequests(app, platform)
    closeConnections(app, drain)
    held = holdRequests(app)
  }
  const app = await openApi(platform, { metrics, prepare })
  startAllForgetting(platform, undo)
  await serveConsole(app, { db })
  served.resolve(app)
  const url = await app.listen({ port: config.port, host: config.host })
  undo(() => app.close())
  undo(() => held?.turnAway())
  // Last step, because the key of the first owner is shown only once.
  const firstToken = await bootstrap(db, firstOrganization)
  held?.letIn()
  const exposure = exposureOf(config)
  if (exposure !== undefined) log.warn(exposure)
  const forRunners = await openRunnerPort(app, config, dataDir)
  undo(() => forRunners?.close())
  if (config.roles.includes('runner')) startRunner(platform, { dataDir, url: forRunners?.url ?? url, undo })
  return { url, firstToken }
}

function startAllForgetting({ domains, config, database, log }: Platform, undo: Starting['undo']): void {
  const { db } = database
  const clock = systemClock.now // the database determines the age of records
  const forget = domains.flatMap((domain) => domain.forget?.(config) ?? [])
  const hourly = startRetentionTask({ db, clock, log, forget })
  undo(() => hourly.stop())
  const forgetSoon = domains.flatMap((domain) => domain.forgetEachMinute ?? [])
  const eachMinute = startRetentionTask({ db, clock, log, forget: forgetSoon }, 60_000)
  undo(() => eachMinute.stop())
}

/** Starts the HTTP server of a process without the role `api`: runner protocol, health and metrics. */
async function startWithoutApi(
  { platform, engine, dataDir, undo }: Starting,
  workerRole: WorkerRole | undefined,
): Promise<void> {
  const { config, database, metrics, clock, log, isClockRight } = platform
  const { db } = database
  if (config.roles.includes('runner')) {
    log.warn(movingRunners)
    startRunner(platform, { dataDir, url: ownAddress(config), undo })
  }
  const { metricsToken, host, port } = config
  if (!workerRole && metricsToken === undefined) return
  const { knowsWorker, lastMessageAt } = engine
  const isWanted = () => true // the port closes first
  const health = { engine, knowsWorker, isClockRight, isWanted, lastMessageAt }
  const served = await serveProcessPort({ db, metrics, metricsToken, clock: clock.now, ...health, host, port })
  undo(() => served.stop())
}

function startRunner(
  platform: Platform,
  { dataDir, url, undo }: Pick<Starting, 'dataDir' | 'undo'> & { url: string },
): void {
  const [token = ''] = sharedRunnerTokensOf(platform)
  const settings = runnerSettings(platform.config, dataDir)
  const runner = startEmbeddedRunner({ url, token, settings, log: platform.logs.runner })
  undo(() => runner.stop())
}

/** Deprecation warning, until the next version: runners used to need a database, an engine and a key. */
const movingRunners =
  'A runner no longer needs DATABASE_URL, the engine and SLUICE_ENCRYPTION_KEY. Start it as ' +
  '`sluice runner --url <address of the API>` with SLUICE_RUNNER_TOKEN, which the API is started with too: see docs/reference/runners.md. ' +
  'The next version refuses the role runner without the role api.'
