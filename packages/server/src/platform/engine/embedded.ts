import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { EngineAddress } from './address.ts'
import { askEveryPartition, clusterName } from './admin.ts'
import { connectEngine } from './client.ts'
import { type ServerProcess, type ServerSettings, spawnServer } from './server-process.ts'
import { addressIn, dataDirectory, openShortSocketPath, removeShortSocketPath } from './sockets.ts'

export interface EmbeddedEngineSettings {
  /** Directory of the engine. It may disappear or be damaged between runs, since the database is the truth. */
  directory: string
  identityKeyFile: string
  further?: ServerSettings['further']
  log: Logger
}

export interface EmbeddedEngine {
  ingress: EngineAddress
  admin: EngineAddress
  /** Sends SIGTERM, and SIGKILL after 4 s. */
  stop(): Promise<void>
}

/**
 * Maximum time until the engine is ready, in milliseconds. It takes 0.1 to 0.5 s, so a minute indicates damage even on
 * a very busy machine.
 */
const readyWithinMs = 60_000

/** Settings with the short path to the data, by which its sockets are reached. */
type Placed = EmbeddedEngineSettings & { base: string }

/**
 * Starts an engine as a child process that only this user can reach, waits until it is ready, and restarts it after
 * failures.
 */
export async function startEmbeddedEngine(settings: EmbeddedEngineSettings): Promise<EmbeddedEngine> {
  const stopping = new AbortController()
  await mkdir(settings.directory, { recursive: true, mode: 0o700 })
  await chmod(settings.directory, 0o700) // a user who can open its sockets controls it
  const base = await openShortSocketPath(settings.directory)
  const placed = { ...settings, base }
  const first = await startOrStartOver(placed, stopping.signal)
  const supervision = keepRunning(first, placed, stopping.signal)
  return {
    ingress: addressIn(base, 'ingress'),
    admin: addressIn(base, 'admin'),
    async stop() {
      stopping.abort()
      await supervision
      await removeShortSocketPath(settings.directory, base)
    },
  }
}

async function keepRunning(first: ServerProcess, settings: Placed, stopping: AbortSignal) {
  const { log } = settings
  let server: ServerProcess | undefined = first
  for (let failures = 0; !stopping.aborted; ) {
    if (server) {
      const gone = await Promise.race([server.exited, aborted(stopping)])
      if (stopping.aborted) break
      log.error({ gone }, 'the engine ended unexpectedly; starting it again')
      server = undefined
    }
    await sleep(backOffMs(failures), undefined, { signal: stopping }).catch(() => {})
    if (stopping.aborted) break
    try {
      server = await startOrStartOver(settings, stopping)
      log.info('the engine is running again')
      failures = 0
    } catch (error) {
      if (!stopping.aborted) log.error({ err: error }, 'the engine could not be started again; trying once more')
      failures += 1
    }
  }
  await server?.stop()
}

/** Delay of a restart: none after the first failure, then 0.25 s, doubled up to 10 s. */
const backOffMs = (failures: number) => (failures === 0 ? 0 : Math.min(125 * 2 ** failures, 10_000))

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

/**
 * Starts the engine on its data. Moves damaged data aside and starts empty: only messages are lost, which are sent
 * again from their rows.
 */
async function startOrStartOver(settings: Placed, stopping: AbortSignal): Promise<ServerProcess> {
  const { directory, log } = settings
  await mkdir(dataDirectory(directory), { recursive: true, mode: 0o700 }) // also for the link that may lead to it
  const hadData = (await readdir(dataDirectory(directory))).length > 0
  try {
    return await startOnce(settings, stopping)
  } catch (error) {
    if (!hadData || stopping.aborted) throw error
    const aside = `${dataDirectory(directory)}.damaged`
    log.error({ err: error, aside }, 'the engine cannot start from its data; setting it aside and starting empty')
    await rm(aside, { recursive: true, force: true })
    await rename(dataDirectory(directory), aside)
    return await startOnce(settings, stopping)
  }
}

async function startOnce(settings: Placed, stopping: AbortSignal): Promise<ServerProcess> {
  const named = { ...settings, clusterName: await clusterNameOf(settings.directory) }
  const server = await spawnServer(named, settings.log)
  try {
    await untilReady(server, named, stopping)
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function untilReady(server: ServerProcess, settings: ServerSettings, stopping: AbortSignal): Promise<void> {
  for (const deadline = Date.now() + readyWithinMs; ; await sleep(25, undefined, { signal: stopping })) {
    const blocker = await whyNotReady(settings)
    if (server.gone !== undefined) throw new Error(`The engine did not start: ${server.gone}`)
    if (blocker === undefined) return
    if (Date.now() > deadline) throw new Error(`The engine was not ready within ${readyWithinMs} ms: ${blocker}`)
  }
}

async function whyNotReady({ base, clusterName: ours }: ServerSettings): Promise<string | undefined> {
  const admin = addressIn(base, 'admin')
  try {
    const theirs = await clusterName(admin)
    if (theirs !== ours) return `another engine (${theirs}) answers at ${admin.socketPath}`
    if (!(await connectEngine(addressIn(base, 'ingress')).healthy())) return 'its ingress does not answer'
    await askEveryPartition(admin)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Returns a random name per directory, so that data of another engine is never used. */
async function clusterNameOf(directory: string): Promise<string> {
  const file = join(directory, 'cluster-name')
  const known = await readFile(file, 'utf8').catch(() => '')
  if (known !== '') return known
  const name = `sluice-${randomBytes(6).toString('hex')}`
  await writeFile(file, name)
  return name
}
