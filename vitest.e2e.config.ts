import { defineConfig } from 'vitest/config'
import { reporters } from './scripts/checks/reporters.ts'

/** `npm run test:e2e`: the console in a real browser, against the demo. */
export default defineConfig({
  test: {
    include: ['e2e/**/*.test.ts'],
    // Ends only tests that hang: a slow machine shows some pages late, and each wait has a timeout of its own.
    testTimeout: 600_000,
    hookTimeout: 240_000, // a browser, a service and a simulated cloud start
    // Also on two cores, where one would be the default: a person's pace leaves room for another.
    maxWorkers: 2,
    isolate: false, // a process takes many files, and begins with the modules of the server once
    reporters,
  },
})
