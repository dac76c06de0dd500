import type { Logger } from 'pino'
import { Admission } from './admission/admission.ts'
import type { Archive } from './archive/archive.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config/settings.ts'
import { expectKnownKeys } from './crypto/known-keys.ts'
import { encryptionKeysOf } from './data-dir/keys.ts'
import { type DataDir, openDataDir } from './data-dir/open.ts'
import { locationOf } from './db/location.ts'
import { openDatabase } from './db/open.ts'
import type { StatusChange } from './db/status-changes.ts'
import type { Platform } from './domain.ts'
import { withClock } from './engine/client.ts'
import { type EngineConnection, openEmbeddedEngine, openExternalEngine } from './engine/engine.ts'
import { createWakeUps } from './engine/wake-ups.ts'
import { createOpenPage } from './http/pagination.ts'
import { Limits } from './limits/limits.ts'
import { limitValuesOf } from './limits/table.ts'
import { applyLogLevels, areasOf, type LogLevelSettings } from './log/areas.ts'
import { createLog } from './log/log.ts'
import { workIds } from './log/work.ts'
import { measureAdmission } from './metrics/admission.ts'
import { measureArchive } from './metrics/archive.ts'
import { measureEngine } from './metrics/engine.ts'
import { createMetrics } from './metrics/metrics.ts'
import { type Spans, traceOfLine } from './traces/present.ts'

type Given = Pick<
  Platform,
  'domains' | 'config' | 'clock' | 'ownRequests' | 'hasOneTenant' | 'isWanted' | 'isClockRight'
> & {
  /** Data directory that the caller has opened and will close; undefined to open it here. */
  dataDir: DataDir | undefined
  openArchive: (config: Config) => Archive | undefined
}

export type OpenPlatform = {
  platform: Platform
  engine: EngineConnection
  dataDir: DataDir
  setLogLevels(settings: LogLevelSettings): void
}

/** Opens the shared components of a process. `undo` receives the function that closes each of them. */
export async function openPlatform(given: Given, undo: (close: () => unknown) => void): Promise<OpenPlatform> {
  const { openArchive, ...ofProcess } = given
  const { config, clock } = given
  const mixin = config.otlpEndpoint === undefined ? undefined : traceOfLine
  const log = createLog({ level: config.logLevel, format: config.logFormat, mixin })
  const logs = areasOf(log)
  const setLogLevels = (settings: LogLevelSettings) => applyLogLevels(log, logs, settings)
  setLogLevels(config)
  const dataDir = given.dataDir ?? (await openDataDir(config.dataDir))
  if (!given.dataDir) undo(() => dataDir.close())
  const spans = await openSpans(config, log)
  undo(() => spans?.stop())

  const metrics = createMetrics()
  const onChange = ({ kind, ...change }: StatusChange) => log.info({ ...workIds(), ...change }, `a ${kind} moved`)
  // In parallel: a first start spends its time on creating an empty database, while the engine can start.
  const opening = [
    openDatabase(locationOf(config, dataDir.inside('database')), { metrics, onChange }),
    openEngine(config, dataDir, { spans, log: logs.engine }),
  ] as const
  const [openedDatabase, openedEngine] = await Promise.allSettled(opening)
  if (openedDatabase.status === 'fulfilled') undo(() => openedDatabase.value.close())
  const afterEngine: (() => unknown)[] = []
  undo(async () => {
    for (const close of afterEngine) await close()
  })
  if (openedEngine.status === 'fulfilled') undo(() => openedEngine.value.stop())
  const [database, connection] = await Promise.all(opening)
  const engine = withClock(measureEngine(connection, metrics), clock)
  const keys = await encryptionKeysOf(config, dataDir.encryptionKey)
  const { db } = database
  await expectKnownKeys(db, keys)
  const opened = openArchive(config)
  const archive = opened && measureArchive(opened, metrics)
  undo(() => archive?.close())
  const admissionSettings = { targetMs: config.admissionTargetMs, nowMs: systemClock.monotonicMs } // real time
  const admission = new Admission(admissionSettings, measureAdmission(metrics))
  const wakeUps = createWakeUps({ engine, clock, log: logs.engine, spans })
  undo(() => wakeUps.stop())
  const platform: Platform = {
    ...ofProcess,
    database,
    engine,
    keys,
    log,
    logs,
    metrics,
    spans,
    limits: new Limits(limitValuesOf(config), clock, admission),
    wakeUps,
    archive,
    openPage: createOpenPage(keys.secretsFor('cursors')),
    closeAfterEngine: (close) => afterEngine.push(close),
  }
  return { platform, engine, dataDir, setLogLevels }
}

/** Opens the destination of spans if tracing is enabled. The exporter is loaded only then. */
async function openSpans(config: Config, log: Logger): Promise<Spans | undefined> {
  const { otlpEndpoint: endpoint, otlpHeaders: headers = [], otlpDelayMs: gatherMs, traceRatio: ratio } = config
  if (endpoint === undefined) return undefined
  const { sendSpans } = await import('./traces/otlp.ts')
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
