import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire, getCompileCacheDir } from 'node:module'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'

const program = createRequire(import.meta.url).resolve('@sluice/runner')

export type EmbeddedRunnerParts = {
  /** Where the API is. */
  url: string
  /** Lets it claim. */
  token: string
  /** Its settings, as environment variables; of our own environment it sees what is named here and below. */
  settings: Record<string, string | undefined>
  log: Logger
}

/** Of our environment, what says where programs are, how others are reached, and whom to trust. */
const handedOn =
  /^(PATH|HOME|LANG|TZ|TMPDIR|(HTTPS?|NO)_PROXY|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|SLUICE_RUNNER_\w+)$/i

/** After a failure, before it is started again: doubling from the first to the last. Milliseconds. */
const firstAgainMs = 250
const lastAgainMs = 10_000
/** It lets go of its attempts at once; whoever stops us has little patience. Milliseconds. */
const stopWithinMs = 4_000

/**
 * Keeps a runner running as a child process: the same program as anywhere else, with nothing of ours but a token that
 * lets it claim. It ends with us, however we end, because its input does.
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
  for (let againMs = firstAgainMs; !stopping.aborted; againMs = Math.min(againMs * 2, lastAgainMs)) {
    const startedAt = performance.now()
    const child = begin(parts)
    const exited = once(child, 'exit').catch((error: Error) => [error.message])
    const gone = await Promise.race([exited, aborted(stopping)])
    if (!gone) return end(child, exited)
    const [code, signal] = gone
    log.error({ code, signal }, 'the runner ended unexpectedly; starting it again')
    if (performance.now() - startedAt > lastAgainMs) againMs = firstAgainMs
    await sleep(againMs, undefined, { signal: stopping }).catch(() => {})
  }
}

function begin({ url, token, settings, log }: EmbeddedRunnerParts): ChildProcess {
  const own = Object.entries(process.env).filter(([name]) => handedOn.test(name) && !/TOKEN/i.test(name))
  const given = Object.entries({ ...settings, SLUICE_URL: url, NODE_COMPILE_CACHE: getCompileCacheDir() })
  const env = Object.fromEntries([...own, ...given.filter(([, value]) => value !== undefined)])
  const child = spawn(process.execPath, [program, '--child'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => {}) // it has ended before it read its token; `exit` tells
  child.stdin.write(`${token}\n`)
  createInterface(child.stdout).on('line', (line) => tell(log, line))
  return child
}

/** Takes a line of its log into ours, with our own form and our own care for secrets. */
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
