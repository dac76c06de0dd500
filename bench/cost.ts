import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultLimits } from '@sluice/runner/isolation/limits'
import { openIsolation } from '@sluice/runner/isolation/open'
import { startWorld } from '@sluice/server/testing'
import { costOf } from './cpu-time.ts'
import { useDatabase } from './database.ts'
import { runConcurrently, runProgram } from './programs.ts'
import { flags, publish, type Row, round } from './report.ts'
import { countStatements } from './statements.ts'
import { StepRuns } from './step-runs.ts'

const { runs, steps, warm, database: kind } = flags({ runs: 20, steps: 20, warm: 5 })
const total = runs * steps

await runConcurrently(1, total, runProgram) // loads code once
const bare = await costOf(() => runConcurrently(1, total, runProgram))
const database = await useDatabase(kind)
const statements = countStatements()

await publish({
  name: 'cost',
  what: [
    `${runs} runs of ${steps} steps of the type command (argv \`true\`), each step after the one before it, after ${warm} such runs.`,
    'Processor time of all processes together: API and worker (and the embedded database) are the server; the runner; the',
    'engine; the simulated cloud; the database server; and the programs with what holds their sandboxes. Milliseconds each.',
    'Bare: the same program spawned by Node as often, one after the other. Statements are those sent to a database server,',
    `\`begin\` and \`commit\` among them. Network: ${process.env.SLUICE_RUNNER_NETWORK ?? 'auto'}.`,
  ],
  database,
  rows: [
    row('bare spawn', bare),
    await step('none'),
    ...((await isolationHere()) === 'bubblewrap' ? [await step('bubblewrap')] : []),
  ],
})

/** Measures a step of a complete Sluice with this isolation. */
async function step(isolation: 'none' | 'bubblewrap'): Promise<Row> {
  process.env.SLUICE_RUNNER_ISOLATION = isolation // inherited by the runner
  await using world = await startWorld()
  const pipeline = await StepRuns.of(await world.organization(), steps)
  await pipeline.runAll(warm) // warms up all code
  const before = statements.count
  const times = await costOf(() => pipeline.runAll(runs))
  const each = kind === 'postgres' ? { statements: round((statements.count - before) / total) } : {}
  return { ...row(`step, isolation ${isolation}`, times), ...each }
}

/** Returns the default isolation of a runner on this machine. */
async function isolationHere(): Promise<'none' | 'bubblewrap'> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-bench-'))
  const nothing = { url: 'http://127.0.0.1', toolFolders: [], endpoints: [] }
  const isolation = await openIsolation({
    mode: 'auto',
    network: 'host',
    limits: { ...defaultLimits, cpus: 1 },
    directory,
    ...nothing,
  })
  await rm(directory, { recursive: true })
  return isolation.kind
}

function row(what: string, times: Record<string, number>): Row {
  const all = Object.values(times).reduce((sum, ms) => sum + ms, 0)
  const each = Object.entries(times).map(([who, ms]) => [who, round(ms / total)])
  return { what, 'processor ms': round(all / total), ...Object.fromEntries(each) }
}
