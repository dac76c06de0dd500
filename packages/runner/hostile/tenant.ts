import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Isolation, Program } from '../src/isolation/isolation.ts'

/** A program of a tenant that runs. */
export type Running = {
  /** Of the process that leads it, outside. */
  pid: number
  /** The folder that it works in. */
  work: string
  records: string
  /** All that it has written so far. */
  said(): Promise<string>
  /** How it ended: its exit code, or the name of a signal. */
  ended: Promise<number | string>
  signal(signal: NodeJS.Signals): void
}

export type Start = Partial<Pick<Program, 'env' | 'readOnly' | 'organizationId'>> & {
  /** Files of its work folder, by name. */
  files?: Record<string, string>
  /** Makes the work folder ready, before it is the program's. */
  prepare?: (work: string) => Promise<void>
}

/** Starts a script of `sh` as the runner starts programs: in a process group of its own, its output in a file. */
export async function startTenant(
  isolation: Isolation,
  directory: string,
  script: string,
  start: Start = {},
): Promise<Running> {
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
  if (pid === undefined) throw new Error(`Cannot start ${program}`) // group 0 is the tests' own
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal)
  return {
    pid,
    work,
    records,
    said: () => readFile(output, 'utf8'),
    ended,
    signal: (signal) => process.kill(-pid, signal),
  }
}

/** Waits until something holds, for as long as a busy machine may need. */
export async function until(what: string, holds: () => Promise<boolean> | boolean, withinMs = 60_000): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms for ${what}`)
    await sleep(25)
  }
}

/** Runs a script to its end, or until `enough` holds of what it has said; everything of it is then killed. */
export async function attack(
  isolation: Isolation,
  directory: string,
  script: string,
  { enough, ...start }: Start & { enough?: (said: string) => boolean } = {},
): Promise<{ said: string; end: number | string; work: string; records: string }> {
  const running = await startTenant(isolation, directory, script, start)
  let hasEnded = false
  void running.ended.then(() => {
    hasEnded = true
  })
  await until('the attack to be over', async () => hasEnded || enough?.(await running.said()) === true)
  if (!hasEnded) running.signal('SIGKILL')
  const end = await running.ended
  await isolation.release(running.records)
  return { said: await running.said(), end, work: running.work, records: running.records }
}
