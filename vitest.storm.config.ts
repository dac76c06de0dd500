import { defineConfig } from 'vitest/config'
import { reporters } from './scripts/checks/reporters.ts'

/** `npm run test:storm`: two minutes; STORM_MINUTES says how many, CRASH_SEED repeats a run. */
export default defineConfig({
  test: {
    include: ['packages/server/storm/**/*.test.ts'],
    globalSetup: ['packages/server/crash/global-setup.ts'],
    // As long as it was wished for, and far more than it takes to start a cluster and for it to come to rest.
    testTimeout: (Number(process.env.STORM_MINUTES ?? 2) + 15) * 60_000,
    hookTimeout: 240_000,
    pool: 'forks',
    reporters,
  },
})
