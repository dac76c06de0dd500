import { defineConfig } from 'vitest/config'

/** Where a report that programs can read goes, as well as the one for people: `.ci/run` counts tests in it. */
const report = process.env.TEST_REPORT

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts'],
    globalSetup: ['packages/server/src/testing/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    reporters: report === undefined ? ['default'] : ['verbose', ['json', { outputFile: report }]],
  },
})
