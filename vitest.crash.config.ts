import { defineConfig } from 'vitest/config'

const report = process.env.TEST_REPORT

/** The crash suite: processes are killed and frozen for real, which takes minutes. */
export default defineConfig({
  test: {
    include: ['packages/*/crash/**/*.test.ts'],
    // Far more than a test takes on a machine that has nothing else to do.
    testTimeout: 1_200_000,
    pool: 'forks',
    // Also on few cores: the files mostly wait for processes to start and for time to pass.
    maxWorkers: 4,
    reporters: report === undefined ? ['default'] : ['verbose', ['json', { outputFile: report }]],
  },
})
