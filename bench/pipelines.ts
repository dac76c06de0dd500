import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import type { PipelineRun, Project } from '@sluice/contract'
import { startWorld } from '@sluice/server/testing'
import { eventually } from '../packages/server/src/testing/eventually.ts'
import { Pipelines } from '../packages/server/src/testing/pipelines.ts'
import { useDatabase } from './database.ts'
import { flags, publish, round } from './report.ts'

const { runs, steps, capacity, database: kind } = flags({ runs: 200, steps: 20, capacity: availableParallelism() })
const total = runs * steps
const argv = ['true'] as const

// Before there is anything to disturb, or to be kept waiting.
const bareMs = await timed(spawnAll)
const database = await useDatabase(kind)
await using world = await startWorld({ env: { SLUICE_RUNNER_CAPACITY: String(capacity) } })
const { client } = await world.organization()
const [project] = await client.done<Project[]>('GET', '/projects')
const pipelines = new Pipelines(client, project?.id ?? '')
const config = {
  steps: Array.from({ length: steps }, (_, index) => ({ id: `s${index}`, type: 'command', with: { argv } })),
}
const { id } = await pipelines.create(config)
await pipelines.untilOver((await pipelines.start(id)).id) // everything was needed once

const cpuBefore = process.cpuUsage()
const throughMs = await timed(runAll)
const { user, system } = process.cpuUsage(cpuBefore)

await publish({
  name: 'pipelines',
  what: [
    `${runs} runs of ${steps} steps of the type command (argv \`${argv.join(' ')}\`), each step after the one before it, all started`,
    `at once and carried out ${capacity} at a time; from the first POST /pipeline-runs until the last run has succeeded. Server,`,
    `worker and runner are one process, the engine another. Bare: the same program spawned by Node as often, ${capacity} at a`,
    `time. The process took ${round((user + system) / 1_000 / total)} ms of processor time per step.`,
  ],
  database,
  rows: [
    row('bare spawn', bareMs),
    { ...row('steps', throughMs), 'overhead ms per step': round((throughMs - bareMs) / total) },
  ],
})

function row(what: string, ms: number) {
  return {
    what,
    seconds: round(ms / 1_000),
    'per second': round(total / (ms / 1_000)),
    'ms per step': round(ms / total),
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

async function runAll(): Promise<void> {
  await abreast(10, runs, () => pipelines.start(id))
  await eventually('all runs to have succeeded', succeeded, (count) => count === runs + 1, 3_600_000)
}

async function succeeded(): Promise<number> {
  const { body } = await client.ask('GET', `/pipeline-runs?pipelineId=${id}&status=SUCCESS&limit=1`)
  const { meta } = body as { data: PipelineRun[]; meta: { totalCount: number } }
  return meta.totalCount
}

async function spawnAll(): Promise<void> {
  await abreast(capacity, total, async () => {
    const [program, ...args] = argv
    await once(spawn(program, args, { stdio: 'ignore' }), 'exit')
  })
}

/** Does the work `times` times, so many at a time. */
async function abreast(width: number, times: number, work: () => Promise<unknown>): Promise<void> {
  let left = times
  const worker = async () => {
    while (left > 0) {
      left -= 1
      await work()
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
}
