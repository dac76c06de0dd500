import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listChildren } from '../src/isolation/watch.ts'

const program = fileURLToPath(new URL('../../cli/src/main.js', import.meta.url))
/** Generous: a start takes some seconds, or more beside other tests. */
const startTimeoutMs = 180_000

/** File descriptor that the service inherits. */
export const inheritedFile = 20

/** A real installation on this machine with everything that a tenant must not access. */
export type Installation = AsyncDisposable & {
  url: string
  pid: number
  dataDir: string
  /** Secrets that no program may show: the encryption key, the first token, and a value in the environment. */
  secrets: string[]
  /** Loopback ports of the service and its engine, except the API's. */
  internalPorts: number[]
  /** Paths of the sockets of the service and its engine. */
  sockets: string[]
  /** Returns whether the installation still serves requests. */
  isHealthy(): Promise<boolean>
}

/** Starts an installation. `more` are settings as environment variables. */
export async function startInstallation(directory: string, more: Record<string, string> = {}): Promise<Installation> {
  await using begun = new AsyncDisposableStack() // stops the service if the rest fails
  const dataDir = join(directory, 'data')
  const inEnvironment = 'slc_hostilefirsttoken0123456789abcdefghijklmn'
  const inFile = 'hostile-in-a-file-that-the-operator-has-open'
  await writeFile(join(directory, 'open'), inFile, { mode: 0o600 })
  const open = openSync(join(directory, 'open'), 'r')
  const child = spawn(process.execPath, [program, 'serve', '--port', '0'], {
    env: {
      PATH: process.env.PATH,
      SLUICE_DATA_DIR: dataDir,
      SLUICE_BOOTSTRAP_TOKEN: inEnvironment,
      NO_COLOR: '1',
      ...more,
    },
    // An inherited file descriptor, as a shell or supervisor may leave one.
    stdio: Object.assign(Array(inheritedFile).fill('ignore'), { 1: 'pipe', 2: 'inherit', [inheritedFile]: open }),
    cwd: directory,
  })
  closeSync(open)
  begun.defer(() => stop(child))
  const url = await addressIn(child)
  const { pid } = child
  if (pid === undefined) throw new Error('cannot start the service')
  const key = (await readFile(join(dataDir, 'encryption-key'), 'utf8')).trim()
  const port = Number(new URL(url).port)
  const { innerPorts, processes } = await listeners(pid)
  const sockets = await socketsIn(dataDir)
  const running = begun.move()
  return {
    url,
    pid,
    dataDir,
    secrets: [key, inEnvironment, inFile],
    internalPorts: innerPorts.filter((inner) => inner !== port),
    sockets,
    isHealthy: async () =>
      (await fetch(`${url}/health/ready`)).ok && processes.every((one) => readFileSync(`/proc/${one}/stat`).length > 0),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

async function addressIn(child: ChildProcess): Promise<string> {
  let said = ''
  const deadline = AbortSignal.timeout(startTimeoutMs)
  while (!deadline.aborted) {
    const [piece] = await once(child.stdout ?? child, 'data', { signal: deadline })
    said += piece
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]
    if (
      address !== undefined &&
      (await fetch(`${address}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      return address
  }
  throw new Error(`the installation did not start: ${said}`)
}

/** Returns the ports that a process and its descendants listen on, and their IDs. */
async function listeners(pid: number): Promise<{ innerPorts: number[]; processes: number[] }> {
  const below = async (parent: number): Promise<number[]> => {
    const children = await listChildren(parent)
    return [parent, ...(await Promise.all(children.map(below))).flat()]
  }
  const processes = await below(pid)
  const lines = execFileSync('ss', ['-ltnpH'], { encoding: 'utf8' }).split('\n')
  const ours = lines.filter((line) => processes.some((one) => line.includes(`pid=${one},`)))
  return { processes, innerPorts: ours.map((line) => Number(/:(\d+)\s/.exec(line)?.[1])) }
}

/** Returns the paths of sockets in a folder. */
async function socketsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isSocket()).map(({ parentPath, name }) => join(parentPath, name))
}
