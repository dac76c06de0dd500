import { defineConfig } from 'vitest/config'

/** Where a report that programs can read goes, as well as the one for people: `.ci/run` counts tests in it. */
const report = process.env.TEST_REPORT

export default defineConfig({
  test: {
    include: ['packages/*/{src,demo}/**/*.test.ts'],
    exclude: ['**/*.fuzz.test.ts'],
    globalSetup: ['packages/server/src/testing/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // The default leaves a core idle; the tests of one file wait for the engine and the cloud more than they compute.
    maxWorkers: 2,
    maxConcurrency: 10,
    reporters: report === undefined ? ['default'] : ['verbose', ['json', { outputFile: report }]],
  },
})
