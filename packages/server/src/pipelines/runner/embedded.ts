import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire, getCompileCacheDir } from 'node:module'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'

const program = createRequire(import.meta.url).resolve('@sluice/runner')

export type EmbeddedRunnerParts = {
  /** Address of the API. */
  url: string
  /** Token with which it leases steps. */
  token: string
  /** Settings as environment variables; of the server's environment it gets only those named here and below. */
  settings: Record<string, string | undefined>
  log: Logger
}

/** Variables of the server's environment for programs, proxies and certificates. */
const inheritedVariables =
  /^(PATH|HOME|LANG|TZ|TMPDIR|(HTTPS?|NO)_PROXY|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|SLUICE_RUNNER_\w+)$/i

/** Restart delay after a failure, doubling from the first to the last value. Milliseconds. */
const minRestartDelayMs = 250
const maxRestartDelayMs = 10_000
/**
 * Maximum time for the runner to release its attempts and stop, in milliseconds; the process manager may not wait
 * longer.
 */
const stopWithinMs = 4_000

/**
 * Starts a runner as a child process and restarts it after failures. It gets nothing but a token for leases. It ends
 * with the server, even after a crash, because its standard input closes.
 */
export function startEmbeddedRunner(parts: EmbeddedRunnerParts): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const over = keepRunning(parts, stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await over
    },
  }
}

async function keepRunning(parts: EmbeddedRunnerParts, stopping: AbortSignal): Promise<void> {
  const { log } = parts
  for (let againMs = minRestartDelayMs; !stopping.aborted; againMs = Math.min(againMs * 2, maxRestartDelayMs)) {
    const startedAt = performance.now()
    const child = begin(parts)
    const exited = once(child, 'exit').catch((error: Error) => [error.message])
    const gone = await Promise.race([exited, aborted(stopping)])
    if (!gone) return end(child, exited)
    const [code, signal] = gone
    log.error({ code, signal }, 'the runner ended unexpectedly; starting it again')
    if (performance.now() - startedAt > maxRestartDelayMs) againMs = minRestartDelayMs
    await sleep(againMs, undefined, { signal: stopping }).catch(() => {})
  }
}

function begin({ url, token, settings, log }: EmbeddedRunnerParts): ChildProcess {
  const own = Object.entries(process.env).filter(([name]) => inheritedVariables.test(name) && !/TOKEN/i.test(name))
  const given = Object.entries({ ...settings, SLUICE_URL: url, NODE_COMPILE_CACHE: getCompileCacheDir() })
  const env = Object.fromEntries([...own, ...given.filter(([, value]) => value !== undefined)])
  const child = spawn(process.execPath, [program, '--child'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => {}) // it has ended before it read its token, which `exit` handles
  child.stdin.write(`${token}\n`)
  createInterface(child.stdout).on('line', (line) => tell(log, line))
  return child
}

/** Copies a line of the runner's log to the server's log, with its format and masking. */
function tell(log: Logger, line: string): void {
  const { level, msg, time: _, ...fields } = lineIn(line)
  if (level === 'warn') log.warn(fields, msg)
  else if (level === 'error') log.error(fields, msg)
  else log.info(fields, msg)
}

function lineIn(line: string): { level?: string; msg?: string; time?: string } & Record<string, unknown> {
  try {
    return JSON.parse(line)
  } catch {
    return { msg: line }
  }
}

async function end(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.stdin?.end()
  const timer = setTimeout(() => child.kill('SIGKILL'), stopWithinMs)
  await exited
  clearTimeout(timer)
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
