import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { object } from '@restatedev/restate-sdk'
import { openEmbeddedEngine } from '@sluice/server/platform/engine/engine'
import { createLog } from '@sluice/server/platform/log/log'
import { eventually } from '../packages/server/src/testing/eventually.ts'
import { freePort } from '../packages/server/src/testing/free-port.ts'
import { portTo } from '../packages/server/src/testing/port-to.ts'

export type BenchServer = { url: string; pid: number }

type Place = {
  databaseUrl: string
  directory: string
  /** Disposes of everything that is started. */
  parts: AsyncDisposableStack
  /** Environment variables; by default, limits are practically disabled. */
  env?: Record<string, string>
}

/** High limits, because nothing executes the deployments and so more of them queue than in practice. */
const hardlyLimited = {
  SLUICE_LIMIT_REQUESTS: '1000000',
  SLUICE_LIMIT_KEY_REQUESTS: '1000000',
  SLUICE_LIMIT_QUEUED_DEPLOYMENTS: '1000000',
}

/** Encryption key shared by all processes. */
export const encryptionKey = randomBytes(32).toString('base64')

/** Starts `sluice serve --roles api` in its own process, with an engine. */
export async function startSluice({
  databaseUrl,
  directory,
  parts,
  env: given = hardlyLimited,
}: Place): Promise<BenchServer> {
  const engine = await startIdleEngine(directory, parts)
  const port = await freePort()
  const env = {
    ...process.env,
    PORT: String(port),
    SLUICE_ROLES: 'api',
    SLUICE_DATA_DIR: join(directory, 'data'),
    SLUICE_LOG_LEVEL: 'warn',
    SLUICE_ENCRYPTION_KEY: encryptionKey,
    DATABASE_URL: databaseUrl,
    ENGINE_INGRESS_URL: engine.ingress,
    ENGINE_ADMIN_URL: engine.admin,
    ...given,
  }
  const main = fileURLToPath(new URL('../packages/cli/src/main.js', import.meta.url))
  const child = spawn(process.execPath, [...process.execArgv, main, 'serve'], { env, stdio: 'inherit' })
  endLater(child, parts)
  const url = `http://127.0.0.1:${port}`
  const isReady = () =>
    fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  await eventually('Sluice to answer', isReady, (ok) => ok)
  return { url, pid: child.pid ?? 0 }
}

/** Starts an engine with handlers that do nothing, because only the time up to the 201 is measured. */
async function startIdleEngine(directory: string, parts: AsyncDisposableStack) {
  const log = createLog({ level: 'warn', format: 'json' })
  const worker = { host: '127.0.0.1', port: 0, finishMs: 2_000 }
  const opened = await openEmbeddedEngine({ directory: join(directory, 'engine'), worker, log })
  parts.defer(() => opened.stop())
  await opened.serve([object({ name: 'deployment', handlers: { advance: async () => {} } })])
  const sockets = join(directory, 'engine/data/sluice')
  const [ingress, admin] = ['ingress', 'admin'].map((name) => urlTo(join(sockets, `${name}.sock`), parts))
  return { ingress: await ingress, admin: await admin }
}

/** Returns a URL for a Unix socket, for use by another process. */
async function urlTo(path: string, parts: AsyncDisposableStack): Promise<string> {
  const { port, close } = await portTo({ path })
  parts.defer(close)
  return `http://127.0.0.1:${port}`
}

/** Starts the reference server in its own process. */
export async function startBare(
  { databaseUrl, parts }: Pick<Place, 'databaseUrl' | 'parts'>,
  organizationId: string,
): Promise<BenchServer> {
  const file = fileURLToPath(new URL('./bare-server.ts', import.meta.url))
  const env = { ...process.env, DATABASE_URL: databaseUrl, ORGANIZATION_ID: organizationId }
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  endLater(child, parts)
  for await (const line of createInterface({ input: child.stdout })) {
    return { url: String(JSON.parse(line).listening), pid: child.pid ?? 0 }
  }
  throw new Error('the bare server ended before it listened')
}

function endLater(child: ChildProcess, parts: AsyncDisposableStack): void {
  const ended = once(child, 'exit')
  parts.defer(async () => {
    child.kill('SIGTERM')
    await ended
  })
}
