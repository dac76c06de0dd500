import { startWorld } from '@sluice/server/testing'
import { StepRuns } from '../step-runs.ts'
import { measure } from './measured.ts'

await measure(async ({ steps, abreast }) => {
  process.env.SLUICE_RUNNER_ISOLATION = 'none' // inherited by the runner
  const world = await startWorld({ env: { SLUICE_RUNNER_CAPACITY: String(abreast) } })
  const pipeline = await StepRuns.of(await world.organization(), steps)
  return { runAll: (runs) => pipeline.runAll(runs), [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
})
