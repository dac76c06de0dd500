import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { budget, flags, percentile, publish, round } from './report.ts'

const { runs } = flags({ runs: 5 })
const root = fileURLToPath(new URL('..', import.meta.url))

const ms = {
  node: [] as number[],
  empty: [] as number[],
  opened: [] as number[],
  cold: [] as number[],
  warm: [] as number[],
}
for (let run = 0; run < runs; run++) {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-bench-start-'))
  ms.node.push(await timeOf('0'))
  ms.empty.push(await timeOf(openDatabaseIn(join(directory, 'bare'))))
  ms.opened.push(await timeOf(openDatabaseIn(join(directory, 'bare'))))
  ms.cold.push(await timeToReady(join(directory, 'sluice')))
  ms.warm.push(await timeToReady(join(directory, 'sluice')))
  await rm(directory, { recursive: true })
}

const row = (what: string, values: number[]) => ({
  seconds: what,
  fastest: seconds(Math.min(...values)),
  median: seconds(percentile(values, 0.5)),
  slowest: seconds(Math.max(...values)),
})
const slowest = Math.max(...ms.cold)
await publish({
  name: 'start-up',
  what: [
    `\`npm start\` until it prints that it is ready, on an empty data directory and once more on the same one, ${runs} runs`,
    'of each. Beside it, what no start can do without: a bare Node, and a bare Node that opens an embedded database.',
  ],
  rows: [
    {
      ...row('`npm start`, empty data directory', ms.cold),
      budget: budget(slowest, (most) => most <= 10_000, '≤ 10 s'),
    },
    row('`npm start` again', ms.warm),
    row('`node -e 0`', ms.node),
    row('bare PGlite, empty directory', ms.empty),
    row('bare PGlite again', ms.opened),
  ],
})

function seconds(value: number): number {
  return round(value / 1_000)
}

function openDatabaseIn(directory: string): string {
  return `const { PGlite } = await import('@electric-sql/pglite'); await (await PGlite.create(${JSON.stringify(directory)})).close()`
}

/** Returns the time that Node takes to run a script, including its start. */
async function timeOf(script: string): Promise<number> {
  const from = performance.now()
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: root, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`node -e ended with ${code}`)
  return performance.now() - from
}

async function timeToReady(dataDir: string): Promise<number> {
  const from = performance.now()
  const env = { ...process.env, PORT: '0', SLUICE_DATA_DIR: dataDir }
  const child = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  await ready(child)
  const time = performance.now() - from
  const ended = once(child, 'close')
  if (child.pid === undefined) throw new Error('npm start has no process')
  process.kill(-child.pid, 'SIGINT') // to npm and its children, like Ctrl-C at a terminal
  await ended
  return time
}

async function ready({ stdout }: ChildProcess): Promise<void> {
  if (!stdout) throw new Error('npm start has no output')
  for await (const line of createInterface({ input: stdout })) {
    if (!line.includes('Sluice is ready at')) continue
    stdout.resume()
    return
  }
  throw new Error('npm start ended before it was ready')
}
