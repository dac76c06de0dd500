import { defineConfig } from 'vitest/config'

/** Where a report that programs can read goes, as well as the one for people: `.ci/run` counts tests in it. */
const report = process.env.TEST_REPORT

/** They put another module in the place of one that others use. */
const alone = ['packages/server/src/interface/conformance/tenancy-without-filters.test.ts']

/** Suites of their own, and what whoever starts the tests leaves out: patterns, with spaces between them. */
const elsewhere = ['**/*.fuzz.test.ts', '**/provider*.test.ts', ...(process.env.TEST_EXCLUDE?.split(' ') ?? [])]

const tests = { include: ['packages/*/{src,demo}/**/*.test.ts'], exclude: [...elsewhere, ...alone] }

export default defineConfig({
  test: {
    globalSetup: ['packages/server/src/testing/global-setup.ts'],
    // Patience costs nothing where all is well, and other users of the machine may hold a test up for long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    pool: 'forks',
    // More than two cores: tests wait for the engine and the cloud as well as they compute.
    maxWorkers: 3,
    maxConcurrency: 10,
    // One process takes many files: to begin anew for each, with all modules and the embedded database, costs 2 to 6 s
    // of processor time. Only what is changed for a whole process has one of its own.
    projects: [
      { extends: true, test: { name: 'tests', ...tests, isolate: false } },
      { extends: true, test: { name: 'alone', include: alone, exclude: elsewhere } },
    ],
    reporters: report === undefined ? ['default'] : ['verbose', ['json', { outputFile: report }]],
  },
})
