import { availableParallelism } from 'node:os'
import { startWorld } from '@sluice/server/testing'
import { useDatabase } from './database.ts'
import { argv, runConcurrently, runProgram } from './programs.ts'
import { flags, publish, round } from './report.ts'
import { StepRuns } from './step-runs.ts'

const { runs, steps, capacity, database: kind } = flags({ runs: 200, steps: 20, capacity: availableParallelism() })
const total = runs * steps

// Measured first, without anything else running.
const bareMs = await timed(() => runConcurrently(capacity, total, runProgram))
const database = await useDatabase(kind)
await using world = await startWorld({ env: { SLUICE_RUNNER_CAPACITY: String(capacity) } })
const pipeline = await StepRuns.of(await world.organization(), steps)
await pipeline.runAll(1) // warms up

const cpuBefore = process.cpuUsage()
const throughMs = await timed(() => pipeline.runAll(runs))
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
