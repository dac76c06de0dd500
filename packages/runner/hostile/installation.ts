import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childrenOf } from '../src/isolation/watch.ts'

const program = fileURLToPath(new URL('../../cli/src/main.js', import.meta.url))
/** A start takes some seconds, and many where other tests run. Milliseconds. */
const startMs = 180_000

/** The number of a file that the service is started with. */
export const inheritedFile = 20

/** A real installation on this machine, with all that a tenant must not get at. */
export type Installation = AsyncDisposable & {
  url: string
  pid: number
  dataDir: string
  /** Texts that no program may ever show: the key of what is encrypted, the first token, what is in the environment. */
  secrets: string[]
  /** Ports on loopback that it or its engine listens on, but for the API's. */
  innerPorts: number[]
  /** Files of sockets that it or its engine listens on. */
  sockets: string[]
  /** Whether it still serves. */
  isWell(): Promise<boolean>
}

/** `more` are settings, as environment variables. */
export async function startInstallation(directory: string, more: Record<string, string> = {}): Promise<Installation> {
  await using begun = new AsyncDisposableStack() // whoever it fails to start for has nothing to stop it by
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
    // As a shell or a supervisor may leave a file open to it, beyond those that Node looks at.
    stdio: Object.assign(Array(inheritedFile).fill('ignore'), { 1: 'pipe', 2: 'inherit', [inheritedFile]: open }),
    cwd: directory,
  })
  closeSync(open)
  begun.defer(() => stop(child))
  const url = await addressIn(child)
  const { pid } = child
  if (pid === undefined) throw new Error('The service could not be started')
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
    innerPorts: innerPorts.filter((inner) => inner !== port),
    sockets,
    isWell: async () =>
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
  const deadline = AbortSignal.timeout(startMs)
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

/** What a process and those below it listen on. */
async function listeners(pid: number): Promise<{ innerPorts: number[]; processes: number[] }> {
  const below = async (parent: number): Promise<number[]> => {
    const children = await childrenOf(parent)
    return [parent, ...(await Promise.all(children.map(below))).flat()]
  }
  const processes = await below(pid)
  const lines = execFileSync('ss', ['-ltnpH'], { encoding: 'utf8' }).split('\n')
  const ours = lines.filter((line) => processes.some((one) => line.includes(`pid=${one},`)))
  return { processes, innerPorts: ours.map((line) => Number(/:(\d+)\s/.exec(line)?.[1])) }
}

/** Sockets with a file in a folder. */
async function socketsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isSocket()).map(({ parentPath, name }) => join(parentPath, name))
}
