import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Isolation, Program } from '../src/isolation/isolation.ts'

/** A running program of a tenant. */
export type RunningProgram = {
  /** ID of the leading process outside of the sandbox. */
  pid: number
  /** Working directory. */
  work: string
  records: string
  /** Returns the output so far. */
  output(): Promise<string>
  /** Resolves with the exit code or the name of the signal. */
  ended: Promise<number | string>
  signal(signal: NodeJS.Signals): void
}

export type ProgramOptions = Partial<Pick<Program, 'env' | 'readOnly' | 'organizationId'>> & {
  /** Files of the working directory by name. */
  files?: Record<string, string>
  /** Prepares the working directory before it belongs to the program. */
  prepare?: (work: string) => Promise<void>
}

/** Starts a script as the runner starts programs: in its own process group, with output to a file. */
export async function startTenantProgram(
  isolation: Isolation,
  directory: string,
  script: string,
  start: ProgramOptions = {},
): Promise<RunningProgram> {
  const attempt = await mkdtemp(join(directory, 'attempt-'))
  const [records, work, temporary] = ['records', 'work', 'tmp'].map((name) => join(attempt, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [records, work, temporary]) await mkdir(folder, { mode: 0o700 })
  for (const [name, text] of Object.entries(start.files ?? {})) await writeFile(join(work, name), text)
  await start.prepare?.(work)
  const { argv, cwd, env } = await isolation.wrap({
    organizationId: start.organizationId ?? 'org_b',
    attempt,
    argv: ['/bin/sh', '-c', script],
    cwd: work,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME: work, LANG: 'C.UTF-8', ...start.env },
    records,
    writable: [work],
    temporary,
    readOnly: start.readOnly ?? [],
  })
  const output = join(records, 'output')
  const fd = openSync(output, 'a')
  const [program, ...args] = argv
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', fd, fd] })
  closeSync(fd)
  const { pid } = child
  if (pid === undefined) throw new Error(`Cannot start ${program}`) // a signal to group 0 would reach the test
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal)
  return {
    pid,
    work,
    records,
    output: () => readFile(output, 'utf8'),
    ended,
    signal: (signal) => process.kill(-pid, signal),
  }
}

/** Waits until a condition holds. The default timeout is enough for a busy machine. */
export async function waitUntil(
  what: string,
  holds: () => Promise<boolean> | boolean,
  withinMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms for ${what}`)
    await sleep(25)
  }
}

/** Runs a script until it ends or `enough` returns true for its output. Then kills all of its processes. */
export async function runAttack(
  isolation: Isolation,
  directory: string,
  script: string,
  { enough, ...start }: ProgramOptions & { enough?: (said: string) => boolean } = {},
): Promise<{ said: string; end: number | string; work: string; records: string }> {
  const running = await startTenantProgram(isolation, directory, script, start)
  let hasEnded = false
  void running.ended.then(() => {
    hasEnded = true
  })
  await waitUntil('the attack to end', async () => hasEnded || enough?.(await running.output()) === true)
  if (!hasEnded) running.signal('SIGKILL')
  const end = await running.ended
  await isolation.release(running.records)
  return { said: await running.output(), end, work: running.work, records: running.records }
}
