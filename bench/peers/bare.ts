import { runConcurrently, runProgram } from '../programs.ts'
import { measure } from './measured.ts'

/** Baseline without orchestration: each run starts its programs one after the other and stores nothing. */
await measure(async ({ steps, abreast: width }) => ({
  runAll: (runs) =>
    runConcurrently(Math.min(width, runs), runs, async () => {
      for (let step = 0; step < steps; step += 1) await runProgram()
    }),
  async [Symbol.asyncDispose]() {},
}))
