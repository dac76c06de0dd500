import { spawn } from 'node:child_process'
import { createWriteStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { signal } from './processes.ts'
import { readRecord, type TestRecord } from './record.ts'
import type { Suite } from './suites.ts'

/** Maximum time that a stopped suite may take to end its programs. */
const stopMs = 20_000

export type SuiteRun = {
  exitCode: number | null
  tookS: number
  /** Whether it was stopped before its end. */
  wasCut: boolean
  output: string
  /** Record of its tests; undefined for other programs than vitest, or if it was stopped before the first test. */
  record: TestRecord | undefined
}

export type RunOptions = {
  /** Directory for its log and record. */
  directory: string
  limitS: number
  /** Arguments that replace the suite's choice of files. */
  args?: readonly string[]
  /** Receives each line of its output. */
  print: (line: string) => void
  /** Stops it as at its time limit. */
  stop: AbortSignal
}

/** Runs a suite in its own process group, to its end, its time limit or until the run is stopped. */
export async function runSuite(
  suite: Suite,
  { directory, limitS, print, stop, args = suite.files ?? [] }: RunOptions,
): Promise<SuiteRun> {
  const startedAt = performance.now()
  const record = join(directory, 'record.jsonl')
  const log = join(directory, 'log')
  const [program = '', ...words] = [...(suite.isOnPostgres ? ['scripts/with-postgres'] : []), ...suite.command, ...args]
  const env = { ...process.env, ...suite.env, TEST_RECORD: record }
  const child = spawn(program, words, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const file = createWriteStream(log)
  for (const stream of [child.stdout, child.stderr])
    copyLines(stream, (line) => {
      file.write(`${line}\n`)
      print(line)
    })

  const group = child.pid === undefined ? undefined : -child.pid
  if (group !== undefined) runningGroups.add(group)
  const stopper = new AbortController()
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      file.write(`${error.message}\n`)
      resolve(127)
    })
    // Not `close`: a leftover process of the suite would keep the pipes open.
    child.once('exit', resolve)
  }).finally(() => stopper.abort())
  const wasCut = await isTruncated(ended, limitS, { hasEnded: stopper.signal, stop })
  if (wasCut && group !== undefined) await stopGroup(group, ended)
  const exitCode = await ended
  if (group !== undefined) runningGroups.delete(group)
  await sleep(200) // time for the last lines of output
  child.stdout.destroy()
  child.stderr.destroy()
  await new Promise<void>((resolve) => file.end(resolve))
  const tookS = Math.round((performance.now() - startedAt) / 1_000)
  return { exitCode, tookS, wasCut, output: readFileSync(log, 'utf8'), record: readRecord(record) }
}

/** Process groups of running suites, as negative IDs, which an interrupt ends. */
export const runningGroups = new Set<number>()

/** Waits until a suite ends, reaches its limit or is stopped. Returns whether it has not ended. */
async function isTruncated(
  ended: Promise<unknown>,
  limitS: number,
  { hasEnded, stop }: { hasEnded: AbortSignal; stop: AbortSignal },
): Promise<boolean> {
  const signal = AbortSignal.any([hasEnded, stop])
  const limit = sleep(limitS * 1_000, true, { signal }).catch(() => stop.aborted)
  return Promise.race([ended.then(() => false), limit])
}

async function stopGroup(group: number, ended: Promise<unknown>): Promise<void> {
  signal(group, 'SIGTERM')
  signal(group, 'SIGCONT') // a frozen process would not receive the signal
  await Promise.race([ended, sleep(stopMs)])
  signal(group, 'SIGKILL')
}

function copyLines(stream: Readable, write: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) write(line)
  })
  stream.on('end', () => {
    if (rest !== '') write(rest)
  })
}
