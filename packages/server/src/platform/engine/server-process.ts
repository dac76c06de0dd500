import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Logger } from 'pino'
import { dataDirectory, nodeName, socketIn } from './sockets.ts'

/** Settings of an engine server. It writes only below `directory`. */
export interface ServerSettings {
  directory: string
  /** Short path to its data, by which its sockets are reached. */
  base: string
  /** Name that is stored in the data at the first start. */
  clusterName: string
  identityKeyFile: string
  /** Additional settings as environment variables, for tests that run several workers. */
  further?: Record<string, string> | undefined
}

/** Running engine server. `gone` is set once it has exited. */
export interface ServerProcess {
  readonly gone: string | undefined
  /** Resolves, never rejects, with its exit and last log lines. */
  exited: Promise<string>
  stop(): Promise<void>
}

/** Time until SIGKILL in milliseconds. It usually ends within 300 ms of SIGTERM; all of Sluice has 5 s to stop. */
const stopWithinMs = 4_000

/** Starts the server and returns before it is ready. */
export async function spawnServer(settings: ServerSettings, log: Logger): Promise<ServerProcess> {
  await endStaleServer(settings, log)
  await emptyTemporaryDirectory(settings.directory)
  const command = [...dieWithParent(), binaryPath(), ...serverArguments(settings.base)]
  const child = spawn(command[0] ?? '', command.slice(1), {
    env: environment(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // Ctrl-C at the terminal is for this process, which stops the server after its work
  })
  const lastWords = forwardLog(child.stdout, child.stderr, log)
  let gone: string | undefined
  const exited = new Promise<string>((resolve) => {
    const end = (how: string) => {
      gone = [how, ...lastWords].join('\n')
      process.removeListener('exit', killNow)
      resolve(gone)
    }
    child.once('error', (error) => end(error.message))
    child.once('close', (code, signal) => end(signal ? `ended by ${signal}` : `ended with exit code ${code}`))
  })
  const killNow = () => child.kill('SIGKILL')
  process.once('exit', killNow) // ends the server with this process on machines without setpriv
  if (child.pid !== undefined) await writeFile(pidFile(settings.directory), String(child.pid))
  return {
    get gone() {
      return gone
    },
    exited,
    stop: () => endChild(child, exited),
  }
}

async function endChild(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM')
  const backstop = setTimeout(() => child.kill('SIGKILL'), stopWithinMs)
  await exited
  clearTimeout(backstop)
}

/** Returns the path of the binary, from the npm package of this platform. Throws if it is not installed. */
export function binaryPath(): string {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/restate-server`)
  } catch (cause) {
    throw new Error(
      `The embedded engine has no build here: the optional package ${name} is not installed. ` +
        'Set ENGINE_INGRESS_URL and ENGINE_ADMIN_URL to use an engine that runs elsewhere.',
      { cause },
    )
  }
}

/**
 * Returns a command prefix that makes the kernel end the program with its parent, where possible. `setpriv` uses exec,
 * so the process ID is the program's.
 */
export function dieWithParent(signal: NodeJS.Signals = 'SIGTERM'): string[] {
  if (process.platform !== 'linux') return []
  const wrapper = ['setpriv', '--pdeathsig', signal, '--']
  const trial = spawnSync(wrapper[0] ?? '', [...wrapper.slice(1), 'true'], { stdio: 'ignore' })
  return trial.status === 0 ? wrapper : [] // setpriv of BusyBox does not have this option
}

/** The directory in the command line identifies a leftover server of another data directory. */
const serverArguments = (base: string) => ['--no-logo', '--base-dir', base]

const logFilter = [
  'warn',
  'octocrab=off', // checks for newer releases at the start and logs errors when offline
  'restate_admin::query_utils=off', // errors of our readiness probe before the partitions run
  'restate_invoker_impl=error', // failed attempts, which the worker logs itself
].join(',')

/** Returns a clean environment: variables of this process must not change the server's settings. */
function environment(settings: ServerSettings): NodeJS.ProcessEnv {
  const { directory, base, clusterName, identityKeyFile, further } = settings
  return {
    PATH: process.env.PATH,
    TMPDIR: temporaryDirectory(directory),
    RESTATE_NODE_NAME: nodeName, // defaults to the host name: a renamed host would start empty, without an error
    RESTATE_CLUSTER_NAME: clusterName,
    RESTATE_LISTEN_MODE: 'unix', // on no port: browsers and programs of steps cannot reach it
    // The server resolves links, which would make the path too long.
    RESTATE_ADVERTISED_ADDRESS: `unix:${socketIn(base, 'fabric')}`,
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_ADMIN__DISABLE_WEB_UI: 'true',
    RESTATE_LOG_FORMAT: 'json',
    RESTATE_LOG_FILTER: logFilter,
    RESTATE_LOG_DISABLE_ANSI_CODES: 'true',
    RESTATE_DEFAULT_NUM_PARTITIONS: '4', // cannot change once data exists; fewer are faster and smaller on few cores
    RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '128 MiB',
    RESTATE_BIFROST__RECORD_CACHE_MEMORY_SIZE: '16 MiB',
    RESTATE_ADMIN__QUERY_ENGINE__MEMORY_SIZE: '128 MiB',
    RESTATE_WORKER__INVOKER__MEMORY_LIMIT: '256 MiB',
    RESTATE_WORKER__INVOKER__REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: identityKeyFile,
    ...further,
  }
}

const temporaryDirectory = (directory: string) => join(directory, 'tmp')
const pidFile = (directory: string) => join(directory, 'server.pid')

/** Creates an empty TMPDIR for the server, which leaves some empty directories at every start. */
async function emptyTemporaryDirectory(directory: string): Promise<void> {
  await rm(temporaryDirectory(directory), { recursive: true, force: true })
  await mkdir(temporaryDirectory(directory), { recursive: true, mode: 0o700 })
}

/** Ends a server that survived its parent process and still holds the data. */
async function endStaleServer({ directory, base }: ServerSettings, log: Logger): Promise<void> {
  const pid = Number(await readFile(pidFile(directory), 'utf8').catch(() => ''))
  if (!Number.isInteger(pid) || pid <= 0) return
  const ours = [base, dataDirectory(directory)].map((path) => serverArguments(path).join(' '))
  const isOurs = async () => {
    const words = await commandLine(pid)
    return ours.some((theirs) => words.includes(theirs))
  }
  const deadline = Date.now() + stopWithinMs
  if (await isOurs()) {
    log.warn({ pid }, 'ending an engine that an earlier run left behind')
    endProcess(pid, 'SIGTERM')
  }
  while (await isOurs()) {
    if (Date.now() > deadline) endProcess(pid, 'SIGKILL')
    await sleep(25)
  }
  await rm(pidFile(directory), { force: true })
}

function endProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // it has just exited
  }
}

/** Returns the command line of a process; empty if it does not exist. */
async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return words.replaceAll('\0', ' ')
  }
  const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }))
  return stdout
}

/** Forwards the server's log. Returns its last error lines, which are updated, for a message about its exit. */
function forwardLog(stdout: Readable, stderr: Readable, log: Logger): string[] {
  const lastWords: string[] = []
  for (const stream of [stdout, stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      const { level, text, rest } = parseLine(line)
      log[level](rest, text)
      if (level !== 'error') return
      lastWords.push(text)
      if (lastWords.length > 3) lastWords.shift()
    })
  }
  return lastWords
}

interface LogLine {
  level: 'error' | 'warn' | 'info'
  text: string
  rest: Record<string, unknown>
}

function parseLine(line: string): LogLine {
  try {
    const { level, fields, target } = JSON.parse(line)
    const { message, ...rest } = fields
    const text = [message, rest.error ?? rest.err].filter(Boolean).join(': ')
    return { level: level === 'ERROR' ? 'error' : level === 'WARN' ? 'warn' : 'info', text, rest: { target, ...rest } }
  } catch {
    return { level: 'error', text: line, rest: {} } // a panic or a start-up error in plain text
  }
}
