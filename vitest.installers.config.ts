import { defineConfig } from 'vitest/config'
import { reporters } from './scripts/checks/reporters.ts'

/** What `scripts/check-installers` runs in a network namespace of its own. */
export default defineConfig({
  test: {
    include: ['testing/installers/**/*.test.ts'],
    testTimeout: 240_000,
    hookTimeout: 120_000,
    pool: 'forks',
    fileParallelism: false,
    bail: 1, // tests of a file are steps on one way
    reporters,
  },
})
