import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { kindsBelow } from './cpu-time.ts'
import { budget, flags, processorMs, publish, type Row, round } from './report.ts'

const { settle, seconds } = flags({ settle: 30, seconds: 60 })
const root = fileURLToPath(new URL('..', import.meta.url))
const mostBeyondMiB = 300
const mostShare = 1.5

const rows: Row[] = []
const directory = await mkdtemp(join(tmpdir(), 'sluice-bench-idle-'))
for (const start of ['empty data directory', 'again']) {
  const bareMiB = await memoryOfBare(join(directory, 'bare'))
  rows.push(...(await idle(join(directory, 'sluice'), start, bareMiB)))
}
await rm(directory, { recursive: true })

await publish({
  name: 'idle',
  what: [
    `\`npm start\`, left alone: memory of its processes ${settle} s after it was ready (what they share is divided among`,
    `them), and the processor time that they take in the ${seconds} s after that. Beside it, a bare Node that has had an`,
    'embedded database open for as long, on an empty directory and again.',
  ],
  rows,
})

async function idle(dataDir: string, start: string, bareMiB: number): Promise<Row[]> {
  const env = { ...process.env, PORT: '0', SLUICE_DATA_DIR: dataDir }
  const child = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  await line(child, 'Sluice is ready at')
  await sleep(settle * 1_000)
  const memory = sumOf(child, memoryMiB)
  const before = sumOf(child, processorMs)
  await sleep(seconds * 1_000)
  const share = sumOf(child, processorMs).map(
    ([kind, ms], i) => [kind, (ms - (before[i]?.[1] ?? 0)) / seconds / 10] as const,
  )
  const ended = once(child, 'close')
  if (child.pid === undefined) throw new Error('npm start has no process')
  process.kill(-child.pid, 'SIGINT') // to npm and its children, like Ctrl-C at a terminal
  await ended
  const all = (of: readonly (readonly [string, number])[]) => of.reduce((sum, [, value]) => sum + value, 0)
  const beyond = all(memory) - bareMiB
  return [
    {
      start,
      ...columns('MiB', [['bare PGlite', bareMiB], ['all', all(memory)], ...memory]),
      budget: budget(beyond, (most) => most <= mostBeyondMiB, `${round(beyond)} beyond bare, ≤ ${mostBeyondMiB} MiB`),
    },
    {
      start,
      ...columns('% of a core', [['all', all(share)], ...share]),
      budget: budget(all(share), (most) => most <= mostShare, `≤ ${mostShare} %`),
    },
  ]
}

function columns(unit: string, values: readonly (readonly [string, number])[]): Row {
  return { unit, ...Object.fromEntries(values.map(([kind, value]) => [kind, round(value)])) }
}

/** Sums a measurement by kind of process, in a stable order. */
function sumOf({ pid = 0 }: ChildProcess, measure: (pid: number) => number): [kind: string, sum: number][] {
  const sums: Record<string, number> = { demo: 0, engine: 0, cloud: 0, runner: 0, programs: 0 }
  for (const one of kindsBelow(pid)) sums[one.kind] = (sums[one.kind] ?? 0) + measure(one.pid)
  return Object.entries(sums)
}

async function memoryOfBare(path: string): Promise<number> {
  const script = `const { PGlite } = await import('@electric-sql/pglite')
    const db = await PGlite.create(${JSON.stringify(path)}); console.log('open')
    process.stdin.on('end', () => db.close()).resume()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await line(child, 'open')
  await sleep(settle * 1_000)
  const miB = memoryMiB(child.pid ?? 0)
  const ended = once(child, 'close')
  child.stdin.end()
  await ended
  return miB
}

/** Returns a process's proportional set size in MiB. Linux only; 0 if it has ended. */
function memoryMiB(pid: number): number {
  try {
    const kib = /^Pss: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]
    return Number(kib) / 1024
  } catch {
    return 0
  }
}

async function line({ stdout }: ChildProcess, words: string): Promise<void> {
  if (!stdout) throw new Error('the process has no output')
  for await (const one of createInterface({ input: stdout })) {
    if (!one.includes(words)) continue
    stdout.resume()
    return
  }
  throw new Error(`ended before it printed: ${words}`)
}
