import { defineConfig } from 'vitest/config'
import { reporters } from './scripts/checks/reporters.ts'

/** `npm run test:hostile`: programs of one tenant attack another one, the service and this machine. */
export default defineConfig({
  test: {
    include: ['packages/runner/hostile/**/*.test.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // Bombs of one file would count against the neighbours of another.
    maxWorkers: 1,
    reporters,
  },
})
