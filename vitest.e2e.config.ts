import { defineConfig } from 'vitest/config'
import { reporters } from './scripts/checks/reporters.ts'

/** `npm run test:e2e`: the console in a real browser, against the demo. */
export default defineConfig({
  test: {
    include: ['e2e/**/*.test.ts'],
    // A browser, a service and a simulated cloud start first, on a machine that may have other things to do.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // Also on two cores, where one would be the default: a person's pace leaves room for another.
    maxWorkers: 2,
    isolate: false, // a process takes many files, and begins with the modules of the server once
    reporters,
  },
})
