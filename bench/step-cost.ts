import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { PipelineRun, Project } from '@sluice/contract'
import { startWorld } from '@sluice/server/testing'
import { eventually } from '../packages/server/src/testing/eventually.ts'
import { Pipelines } from '../packages/server/src/testing/pipelines.ts'
import { useDatabase } from './database.ts'
import { flags, publish, round } from './report.ts'

const { runs, steps, database: kind } = flags({ runs: 20, steps: 20 })
const total = runs * steps
/** Linux counts in hundredths of a second, those of children that have ended with their parent's. */
const msPerTick = 10

const bareMs = await costOf(spawnAll)
const database = await useDatabase(kind)
await using world = await startWorld()
const { client } = await world.organization()
const [project] = await client.done<Project[]>('GET', '/projects')
const pipelines = new Pipelines(client, project?.id ?? '')
const config = {
  steps: Array.from({ length: steps }, (_, index) => ({ id: `s${index}`, type: 'command', with: { argv: ['true'] } })),
}
const { id } = await pipelines.create(config)
await pipelines.untilOver((await pipelines.start(id)).id) // everything was needed once
const throughMs = await costOf(runAll)

await publish({
  name: 'step-cost',
  what: [
    `${runs} runs of ${steps} steps of the type command (argv \`true\`), each step after the one before it. Processor time of all`,
    'processes together: API, worker and embedded database in one, the runner, the engine, the simulated cloud, and the programs.',
    'Bare: the same program spawned by Node as often, one after the other.',
  ],
  database,
  rows: [row('bare spawn', bareMs), row('step', throughMs)],
})

function row(what: string, ms: number) {
  return { what, 'processor ms each': round(ms / total) }
}

/** Processor time that the work takes in this process and in all that come from it. Milliseconds. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = cpuOfTree()
  await work()
  return cpuOfTree() - before
}

async function runAll(): Promise<void> {
  for (let run = 0; run < runs; run += 1) await pipelines.start(id)
  await eventually('all runs to have succeeded', succeeded, (count) => count === runs + 1, 3_600_000)
}

async function succeeded(): Promise<number> {
  const { body } = await client.ask('GET', `/pipeline-runs?pipelineId=${id}&status=SUCCESS&limit=1`)
  const { meta } = body as { data: PipelineRun[]; meta: { totalCount: number } }
  return meta.totalCount
}

async function spawnAll(): Promise<void> {
  for (let time = 0; time < total; time += 1) await once(spawn('true', { stdio: 'ignore' }), 'exit')
}

function cpuOfTree(): number {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(processOf)
  const ours = new Set([process.pid])
  for (let known = 0; known < ours.size; ) {
    known = ours.size
    for (const { pid, parent } of processes) if (ours.has(parent)) ours.add(pid)
  }
  return processes.filter(({ pid }) => ours.has(pid)).reduce((sum, { ticks }) => sum + ticks, 0) * msPerTick
}

/**
 * Empty for one that has ended meanwhile. See proc(5): what follows the name in brackets begins with the third field.
 */
function processOf(name: string): { pid: number; parent: number; ticks: number }[] {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [, parent = 0] = fields
    return [{ pid: Number(name), parent, ticks: fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) }]
  } catch {
    return []
  }
}
