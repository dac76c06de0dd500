import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { PipelineRun, Project } from '@sluice/contract'
import { startWorld } from '@sluice/server/testing'
import { eventually } from '../packages/server/src/testing/eventually.ts'
import { Pipelines } from '../packages/server/src/testing/pipelines.ts'
import { useDatabase } from './database.ts'
import { processorTimes } from './processor-time.ts'
import { flags, publish, round } from './report.ts'
import { countStatements } from './statements.ts'

const { runs, steps, warm, database: kind } = flags({ runs: 20, steps: 20, warm: 5 })
const total = runs * steps

await costOf(spawnAll) // what is loaded once
const bare = await costOf(spawnAll)
const database = await useDatabase(kind)
const statements = countStatements()
await using world = await startWorld()
const { client } = await world.organization()
const [project] = await client.done<Project[]>('GET', '/projects')
const pipelines = new Pipelines(client, project?.id ?? '')
const config = {
  steps: Array.from({ length: steps }, (_, index) => ({ id: `s${index}`, type: 'command', with: { argv: ['true'] } })),
}
const { id } = await pipelines.create(config)
await runAll(warm) // everything was needed once, and is compiled
const before = statements.count
const through = await costOf(() => runAll(runs))
const statementsEach = (statements.count - before) / total

await publish({
  name: 'step-cost',
  what: [
    `${runs} runs of ${steps} steps of the type command (argv \`true\`), each step after the one before it, after ${warm} such runs.`,
    'Processor time of all processes together: API and worker (and the embedded database) are the server; the runner; the',
    'engine; the simulated cloud; the database server; and the programs with what holds their sandboxes. Milliseconds each.',
    'Bare: the same program spawned by Node as often, one after the other.',
    `Isolation: ${process.env.SLUICE_RUNNER_ISOLATION ?? 'auto'}, network: ${process.env.SLUICE_RUNNER_NETWORK ?? 'auto'}.`,
    ...(kind === 'postgres'
      ? [`A step made ${round(statementsEach)} statements, \`begin\` and \`commit\` among them.`]
      : []),
  ],
  database,
  rows: [row('bare spawn', bare), row('step', through)],
})

function row(what: string, times: Record<string, number>) {
  const all = Object.values(times).reduce((sum, ms) => sum + ms, 0)
  const each = Object.entries(times).map(([who, ms]) => [who, round(ms / total)])
  return { what, 'processor ms each': round(all / total), ...Object.fromEntries(each) }
}

/** Processor time that the work takes, by what the processes do. Milliseconds. */
async function costOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = processorTimes()
  await work()
  const after = processorTimes()
  return Object.fromEntries(Object.entries(after).map(([who, ms]) => [who, ms - (before[who] ?? 0)]))
}

async function runAll(times: number): Promise<void> {
  const wanted = (await succeeded()) + times
  for (let run = 0; run < times; run += 1) await pipelines.start(id)
  await eventually('all runs to have succeeded', succeeded, (count) => count === wanted, 3_600_000)
}

async function succeeded(): Promise<number> {
  const { body } = await client.ask('GET', `/pipeline-runs?pipelineId=${id}&status=SUCCESS&limit=1`)
  const { meta } = body as { data: PipelineRun[]; meta: { totalCount: number } }
  return meta.totalCount
}

async function spawnAll(): Promise<void> {
  for (let time = 0; time < total; time += 1) await once(spawn('true', { stdio: 'ignore' }), 'exit')
}
