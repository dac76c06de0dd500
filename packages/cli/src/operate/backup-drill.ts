// biome-ignore-all lint/style/noRestrictedGlobals: asks what it has started on this machine.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Client, createClient, waitFor, waitForDeployment } from '@sluice/client'
import { backUp, dropDatabase, makeDatabase, restore } from '@sluice/server/interface/moving/backup'
import { type ConfigSources, loadCommandConfig } from '@sluice/server/platform/config/load'

const program = fileURLToPath(new URL('../main.js', import.meta.url))

/** Reports whether a file belongs to the demo's cloud or users, which are not lost with the service. */
const isOutsideOfService = (file: string): boolean => /^(cloud\.db|demo\.json|ports\.json)/.test(file)

/** Timeout in milliseconds, for busy machines as well. */
const timeoutMs = 180_000

/** Database and data directory of a service. */
type Place = { databaseUrl: string; dataDir: string }

/**
 * Tests disaster recovery with temporary databases: backs up the demo during a paused release, destroys the service's
 * data, and restores the backup elsewhere, where the release must continue.
 */
export async function runBackupDrill(sources: ConfigSources): Promise<void> {
  const { databaseUrl: server } = loadCommandConfig(sources)
  if (server === undefined) {
    throw new Error('DATABASE_URL is not set: name a database on a server where its role may make others.')
  }
  const folder = await mkdtemp(join(tmpdir(), 'sluice-drill-'))
  const run = randomBytes(4).toString('hex')
  const placeOf = (name: string): Place => ({ databaseUrl: databaseOn(server, name), dataDir: join(folder, name) })
  const [lost, fresh] = [placeOf(`sluice_drill_${run}_lost`), placeOf(`sluice_drill_${run}_fresh`)]
  const running: ChildProcess[] = []
  try {
    await drill({ server, lost, fresh, dump: join(folder, 'sluice.dump'), running })
  } finally {
    await Promise.all(running.map(kill))
    for (const place of [lost, fresh]) await dropDatabase(server, nameOf(place))
    await rm(folder, { recursive: true, force: true })
  }
}

type Drill = { server: string; lost: Place; fresh: Place; dump: string; running: ChildProcess[] }

async function drill({ server, lost, fresh, dump, running }: Drill): Promise<void> {
  const settings = {
    SLUICE_ENCRYPTION_KEY: randomBytes(32).toString('base64'), // stored elsewhere, as recommended
    SLUICE_BOOTSTRAP_TOKEN: `slc_${randomBytes(32).toString('base64url')}`,
  }
  const start = async (place: Place) => {
    const { child, url } = await startDemo(place, settings, running)
    return { child, client: createClient({ baseUrl: url, token: settings.SLUICE_BOOTSTRAP_TOKEN }) }
  }
  await mkdir(lost.dataDir)
  await makeDatabase(server, nameOf(lost))
  const before = await timed('a service is started', () => start(lost))
  const id = await timed('a release is paused', () => releaseUntilPaused(before.client))
  await timed('backup', () => backUp(lost.databaseUrl, dump))
  console.log(`${'its size'.padEnd(26)} ${(await stat(dump)).size} bytes`)
  await timed('all is destroyed', async () => {
    await kill(before.child)
    await cloudIsGone(lost.dataDir)
    await dropDatabase(server, nameOf(lost))
    await mkdir(fresh.dataDir)
    for (const file of (await readdir(lost.dataDir)).filter(isOutsideOfService))
      await copyFile(join(lost.dataDir, file), join(fresh.dataDir, file))
    await rm(lost.dataDir, { recursive: true })
  })
  const lostAt = performance.now()
  await timed('restore', async () => {
    await makeDatabase(server, nameOf(fresh))
    await restore(dump, fresh.databaseUrl)
  })
  const after = await timed('a service is started on it', () => start(fresh))
  console.log(`${'after the loss, in all'.padEnd(26)} ${secondsSince(lostAt)} s`)
  await timed('the release goes on', () => continueDeployment(after.client, id))
  console.log('The paused release went on to its end: the backup holds all that it takes.')
}

/** Starts a blue/green release and waits for its pause before the traffic shift. */
async function releaseUntilPaused(client: Client): Promise<string> {
  const { data: instances } = await client.listModuleInstances({ query: { limit: 100 } })
  const moduleInstanceId = instances.find(({ givenId }) => givenId === 'api')?.id
  if (moduleInstanceId === undefined) throw new Error('The demo has no module instance api.')
  const inputs = { image_ref: 'registry.example/shop/api:2.0.0' }
  const { data } = await client.createDeployment({ body: { data: { moduleInstanceId, description: 'Drill', inputs } } })
  await waitUntilPaused(client, data.id)
  return data.id
}

async function waitUntilPaused(client: Client, id: string): Promise<void> {
  const { status } = await waitForDeployment(client, id, { until: 'asking', timeoutMs })
  if (status !== 'IN_PROGRESS') throw new Error(`The release is ${status} and not paused.`)
}

async function continueDeployment(client: Client, id: string): Promise<void> {
  await waitUntilPaused(client, id)
  await client.continueDeployment({ params: { id }, body: { data: {} } })
  const { status } = await waitForDeployment(client, id, { timeoutMs })
  if (status !== 'SUCCESS') throw new Error(`The release is ${status}.`)
}

async function startDemo({ databaseUrl, dataDir }: Place, settings: Record<string, string>, running: ChildProcess[]) {
  const child = spawn(process.execPath, [program, 'demo', '--data-dir', dataDir, '--port', '0'], {
    env: { ...process.env, ...settings, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.push(child)
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^Sluice is ready at (\S+)$/.exec(line) ?? []
    if (url === undefined) continue
    child.stdout.resume() // unread output must not block the process
    return { child, url }
  }
  throw new Error('The service ended before it was ready.')
}

/** Kills the process, like a lost machine. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** Waits for the simulated cloud, which ends soon after the service that started it. */
async function cloudIsGone(dataDir: string): Promise<void> {
  const { cloud } = JSON.parse(await readFile(join(dataDir, 'ports.json'), 'utf8')) as { cloud: number }
  const isThere = () =>
    fetch(`http://127.0.0.1:${cloud}`).then(
      () => true,
      () => false,
    )
  await waitFor(isThere, (is) => !is, { timeoutMs, everyMs: 100 })
}

function databaseOn(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

const nameOf = ({ databaseUrl }: Place): string => new URL(databaseUrl).pathname.slice(1)

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const from = performance.now()
  const result = await work()
  console.log(`${what.padEnd(26)} ${secondsSince(from)} s`)
  return result
}

const secondsSince = (from: number): string => ((performance.now() - from) / 1_000).toFixed(1)
