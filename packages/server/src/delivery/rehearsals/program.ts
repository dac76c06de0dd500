import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import type { RehearsalJob, RehearsalOutput } from './job.ts'

/**
 * Returns the path of the rehearsal program. It is a separate package, because the server must not depend on the
 * simulated cloud.
 */
const program = () => createRequire(import.meta.url).resolve('@sluice/rehearsals')

/** Timeout in milliseconds. Ten scenarios take about 15 s of processor time, and longer on a busy machine. */
const maxMs = 120_000
/** Maximum heap size; a rehearsal takes about 200 MiB. */
const maxHeapMiB = 512
/** Maximum output size; a scenario takes about 100 KiB. */
const maxOutputBytes = 8 * 1024 * 1024
const maxErrorBytes = 16 * 1024

/** Error of a rehearsal without a result. Its cause is the output of the program, which is only for the log. */
export class RehearsalProgramError extends Error {
  override readonly name = 'RehearsalProgramError'
  /** Whether another attempt can succeed: something else ended the program, before any of its limits. */
  readonly isRetryable: boolean

  constructor(message: string, { isRetryable, cause }: { isRetryable: boolean; cause: string }) {
    super(message, { cause })
    this.isRetryable = isRetryable
  }
}

/**
 * Runs a rehearsal in a separate process that can read files, without network, other processes and environment
 * variables.
 * @throws {RehearsalProgramError} after a timeout, too much memory or output, or a failure
 */
export function runProgram(job: RehearsalJob, signal: AbortSignal): Promise<RehearsalOutput> {
  const limits = ['--permission', '--allow-fs-read=*', `--max-old-space-size=${maxHeapMiB}`]
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...limits, program()], {
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: maxMs,
    killSignal: 'SIGKILL',
    signal,
  })
  const output: Buffer[] = []
  let outputBytes = 0
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => {
    outputBytes += chunk.length
    if (outputBytes > maxOutputBytes) child.kill('SIGKILL')
    else output.push(chunk)
  })
  child.stderr.on('data', (chunk: Buffer) => {
    if (errors.length < maxErrorBytes) errors += chunk.toString('utf8')
  })
  child.stdin.on('error', () => {}) // reported by the exit of the program
  child.stdin.end(JSON.stringify(job))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, ended) => {
      if (code === 0) return resolve(JSON.parse(Buffer.concat(output).toString('utf8')) as RehearsalOutput)
      const limit = reachedLimit({ outputBytes, elapsedMs: performance.now() - startedAt, ended })
      const message = `The rehearsal failed: ${limit ?? `it ended with ${ended ?? code}`}.`
      const isRetryable = limit === undefined && ended !== null
      reject(new RehearsalProgramError(message, { isRetryable, cause: errors.trim() }))
    })
  })
}

type Ended = { outputBytes: number; elapsedMs: number; ended: NodeJS.Signals | null }

/** Returns the limit that ended the program; undefined if none did. */
export function reachedLimit({ outputBytes, elapsedMs, ended }: Ended): string | undefined {
  if (outputBytes > maxOutputBytes) return `its result is larger than ${maxOutputBytes} bytes; rehearse fewer scenarios`
  if (ended === 'SIGKILL' && elapsedMs >= maxMs)
    return `it took longer than ${maxMs / 1_000} s; rehearse fewer scenarios`
  if (ended === 'SIGABRT') return `it needed more than ${maxHeapMiB} MiB of memory; rehearse fewer scenarios`
  return undefined
}
