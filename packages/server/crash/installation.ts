import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SimControl } from '@sluice/cloud-sim'
import { pino } from 'pino'
import type { DatabaseLocation } from '../src/platform/db/open.ts'
import type { EngineAddress } from '../src/platform/engine/address.ts'
import { startEmbeddedEngine } from '../src/platform/engine/embedded.ts'
import { openEngineIdentity } from '../src/platform/engine/identity.ts'
import { createEmptyDatabase, createTestDatabase } from '../src/testing/database.ts'
import { eventually } from '../src/testing/eventually.ts'
import { freePort } from '../src/testing/free-port.ts'
import { portTo } from '../src/testing/port-to.ts'
import { takeFatalError, throwFatalError } from './fatal-error.ts'
import { answersReady, openReadinessProxy } from './readiness-proxy.ts'
import { type SceneOptions, sceneSettings, setScene } from './scene.ts'
import { ServiceProcess } from './service-process.ts'

export type InstallationOptions<People> = Pick<SceneOptions<People>, 'speed' | 'people'> & {
  env?: Record<string, string>
  /** Program of another version, which then creates the schema. */
  version?: string | undefined
  /** Number of processes of each role. Defaults to two. */
  ofEachRole?: number
}

/** Process of one role, with its address and readiness. */
export type Part = { name: string; url: string; process: ServiceProcess; isReady(): Promise<boolean> }

/** APIs behind a proxy that follows readiness, workers behind one address, and an engine. */
export type Installation<People> = {
  apis: Part[]
  workers: Part[]
  /** Directs new connections of the engine to ready workers only, like probes do, until the signal. */
  followReadiness(signal: AbortSignal): Promise<void>
  cloud: SimControl
  people: People
  /** Calls that the proxy could not forward. */
  failures: string[]
  database: DatabaseLocation
  engineAdmin: EngineAddress
  apiUrls: string[]
  stop(): Promise<void>
}

/** Starts an installation in an empty directory. Needs a PostgreSQL server. */
export async function openInstallation<People>(
  directory: string,
  wishes: InstallationOptions<People>,
): Promise<Installation<People>> {
  const { ofEachRole = 2 } = wishes
  const {
    url: databaseUrl,
    location: database,
    drop,
  } = await (wishes.version ? createEmptyDatabase() : createTestDatabase())
  await using begun = new AsyncDisposableStack() // removes everything of an installation that cannot start
  begun.defer(drop)
  if (databaseUrl === undefined) throw new Error('several processes need a PostgreSQL server')
  const apis: Part[] = []
  const apiPorts = await freePorts(ofEachRole)
  const apiUrls = apiPorts.map((port) => `http://127.0.0.1:${port}`)
  const proxy = await openReadinessProxy(apiUrls)
  begun.defer(() => proxy.close())
  const { sim, cloud, people } = await setScene({ ...wishes, directory, database, apiUrl: proxy.url })
  begun.defer(() => sim.stop())

  const engineDirectory = join(directory, 'engine')
  await mkdir(engineDirectory)
  const identity = await openEngineIdentity(join(engineDirectory, 'identity.pem'))
  const log = pino({ level: 'silent' })
  const engine = await startEmbeddedEngine({
    directory: engineDirectory,
    identityKeyFile: identity.keyFile,
    further: await shippedInvokerSettings(),
    log,
  })
  begun.defer(() => engine.stop())
  const [ingress, admin] = [await portTo(toSocket(engine.ingress)), await portTo(toSocket(engine.admin))]
  const workerPorts = await freePorts(ofEachRole)
  const balancer = await portTo(...workerPorts.map((port) => ({ host: '127.0.0.1', port })))
  for (const line of [ingress, admin, balancer]) begun.defer(() => line.close())
  begun.defer(() => void takeFatalError()) // of a service that could not start, whose error is thrown already

  const shared = {
    ...sceneSettings(sim.url, proxy.url),
    DATABASE_URL: databaseUrl,
    ENGINE_INGRESS_URL: `http://127.0.0.1:${ingress.port}`,
    ENGINE_ADMIN_URL: `http://127.0.0.1:${admin.port}`,
    ENGINE_IDENTITY_KEYS: identity.publicKey,
    WORKER_URL: `http://127.0.0.1:${balancer.port}`,
    SLUICE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ...wishes.env,
  }
  const start = async (name: string, env: Record<string, string>) => {
    const place = join(directory, name)
    await mkdir(place)
    const process = new ServiceProcess(place, { ...shared, ...env }, wishes.version ? { version: wishes.version } : {})
    process.start()
    begun.defer(() => process.kill('service'))
    return process
  }
  const workers: Part[] = []
  for (const [index, port] of workerPorts.entries()) {
    const name = `worker ${index + 1}`
    const ownPort = await freePort()
    const url = `http://127.0.0.1:${ownPort}`
    const env = { SLUICE_ROLES: 'worker', WORKER_PORT: String(port), PORT: String(ownPort) }
    const isReady = async () => wishes.version !== undefined || (await answersReady(url)) === true
    workers.push({ name, url, process: await start(name, env), isReady })
  }
  for (const [index, port] of apiPorts.entries()) {
    const name = `api ${index + 1}`
    const url = apiUrls[index] ?? ''
    const process = await start(name, { SLUICE_ROLES: 'api', PORT: String(port) })
    apis.push({ name, url, process, isReady: () => proxy.isReady(url) })
  }
  for (const part of [...workers, ...apis]) await untilReady(part)
  proxy.failures.length = 0 // events of the cloud that arrived before the APIs were ready
  const running = begun.move()
  return {
    apis,
    workers,
    async followReadiness(signal) {
      while (!signal.aborted) {
        const areReady = await Promise.all(workers.map(({ isReady }) => isReady()))
        const ports = workerPorts.filter((_, index) => areReady[index])
        if (ports.length > 0) balancer.lead(...ports.map((port) => ({ host: '127.0.0.1', port })))
        await sleep(1_000, undefined, { signal }).catch(() => {}) // interval of a probe
      }
    },
    cloud,
    people,
    failures: proxy.failures,
    database,
    engineAdmin: engine.admin,
    apiUrls,
    stop: () => running.disposeAsync(),
  }
}

/**
 * Waits until a process is ready. The API listens before the first start has created everything; a worker reports that
 * it is ready.
 */
export async function untilReady({ name, process, isReady }: Part): Promise<void> {
  await process.ready()
  const look = () => {
    throwFatalError()
    return isReady()
  }
  await eventually(`${name} to be ready`, look, (is) => is)
}

function toSocket({ socketPath }: { socketPath?: string }) {
  if (socketPath === undefined) throw new Error('an embedded engine listens on sockets')
  return { path: socketPath }
}

/** Returns the shipped settings with which the engine calls workers, as environment variables. */
async function shippedInvokerSettings(): Promise<Record<string, string>> {
  const shipped = await readFile(new URL('../../../deploy/compose/engine.toml', import.meta.url), 'utf8')
  const [, invoker = ''] = shipped.split('[worker.invoker]')
  const found = Array.from(invoker.matchAll(/^(http2-keep-alive-\w+) = "(\w+)"$/gm), ([, name = '', value = '']) => [
    `RESTATE_WORKER__INVOKER__${name.replaceAll('-', '_').toUpperCase()}`,
    value,
  ])
  return Object.fromEntries(found)
}

async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) ports.push(await freePort())
  return ports
}
