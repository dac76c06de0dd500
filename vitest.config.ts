import { defineConfig } from 'vitest/config'

/** Where a report that programs can read goes, as well as the one for people: `.ci/run` counts tests in it. */
const report = process.env.TEST_REPORT

export default defineConfig({
  test: {
    include: ['packages/*/{src,demo}/**/*.test.ts'],
    exclude: ['**/*.fuzz.test.ts'],
    globalSetup: ['packages/server/src/testing/global-setup.ts'],
    // Patience costs nothing where all is well, and other users of the machine may hold a test up for long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    pool: 'forks',
    // More than two cores: tests wait for the engine and the cloud as long as they compute. On two cores three workers
    // take 12 minutes, two take 16.
    maxWorkers: 3,
    maxConcurrency: 10,
    reporters: report === undefined ? ['default'] : ['verbose', ['json', { outputFile: report }]],
  },
})
