import { spawn } from 'node:child_process'
import { createWriteStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { signal } from './processes.ts'
import { readRecord, type TestRecord } from './record.ts'
import type { Suite } from './suites.ts'

/** How long a suite that is stopped may take to end its own programs. */
const stopMs = 20_000

export type SuiteRun = {
  exitCode: number | null
  tookS: number
  /** Whether it was stopped because its time was over. */
  wasCut: boolean
  output: string
  /** What its tests recorded; undefined where it is not a suite of vitest, or was stopped before the first one. */
  record: TestRecord | undefined
}

export type RunOptions = {
  /** Where its log and record go. */
  directory: string
  limitS: number
  /** Arguments of its command in place of the suite's choice of files. */
  args?: readonly string[]
  /** Takes each line of its output. */
  print: (line: string) => void
}

/** Runs a suite to its end or its limit, in a process group of its own. */
export async function runSuite(
  suite: Suite,
  { directory, limitS, print, args = suite.files ?? [] }: RunOptions,
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
    // Not `close`: a process that the suite left behind would keep the pipes open.
    child.once('exit', resolve)
  }).finally(() => stopper.abort())
  const wasCut = await isTruncated(ended, limitS, stopper.signal)
  if (wasCut && group !== undefined) await stopGroup(group, ended)
  const exitCode = await ended
  if (group !== undefined) runningGroups.delete(group)
  await sleep(200) // for the last lines
  child.stdout.destroy()
  child.stderr.destroy()
  await new Promise<void>((resolve) => file.end(resolve))
  const tookS = Math.round((performance.now() - startedAt) / 1_000)
  return { exitCode, tookS, wasCut, output: readFileSync(log, 'utf8'), record: readRecord(record) }
}

/** The suites that run now, as negative IDs of their process groups: an interrupt ends them. */
export const runningGroups = new Set<number>()

async function isTruncated(ended: Promise<unknown>, limitS: number, stop: AbortSignal): Promise<boolean> {
  const limit = sleep(limitS * 1_000, true, { signal: stop }).catch(() => false)
  return Promise.race([ended.then(() => false), limit])
}

async function stopGroup(group: number, ended: Promise<unknown>): Promise<void> {
  signal(group, 'SIGTERM')
  signal(group, 'SIGCONT') // what is frozen would not hear it
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
