import { defineConfig } from 'vitest/config'
import { reporters } from './scripts/checks/reporters.ts'

/** They put another module in the place of one that others use, or a clock in the place of everybody's timers. */
export const alone = [
  'packages/server/src/interface/conformance/tenancy-without-filters.test.ts',
  'packages/server/src/platform/engine/{timers,wake-ups}.test.ts',
]

/** Tests that measure wall time: another test on the same cores would make them fail. `npm run test:timing`. */
const timing = '**/*.timing.test.ts'

/** Suites of their own. */
export const elsewhere = ['**/*.fuzz.test.ts', '**/provider*.test.ts', timing]

/**
 * What takes most of the time and is seldom what a change breaks: `npm run test:wide`. Whole releases of each type stay
 * among the quick tests; everything that can happen to one is wide, as are tests that start a service of their own, and
 * those that the gate runs on a PostgreSQL server.
 */
const wide = [
  'packages/cloud-sim/src/**/*.test.ts',
  'packages/*/{src,demo}/**/*.wide.test.ts',
  'scripts/checks/*.wide.test.ts',
]

const include = ['packages/*/{src,demo}/**/*.test.ts', 'testing/*.test.ts', 'scripts/*/*.test.ts']

export default defineConfig({
  test: {
    globalSetup: ['packages/server/src/testing/global-setup.ts'],
    setupFiles: ['testing/setup.ts'],
    // Ends only tests that hang: `eventually` ends a wait without progress much earlier, and a slow machine makes progress.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    chaiConfig: { truncateThreshold: 400 }, // characters: a list of failing cases shows their values
    pool: 'forks',
    server: { deps: { inline: ['@actions/workflow-parser'] } }, // imports JSON in a way that Node refuses
    // A process opens and closes dozens of embedded databases, and V8 may end it (SIGTRAP, once in some 20 runs) when it
    // frees compiled WebAssembly that it no longer finds in its own books: https://github.com/nodejs/node/issues/64500.
    // So it keeps what it compiled. A service opens one database, and is not concerned.
    execArgv: ['--no-wasm-code-gc'],
    // More than two cores: tests wait for the engine and the cloud as well as they compute.
    maxWorkers: 3,
    // A test of a whole release keeps half a core busy: ten of them in each worker run into their timeouts.
    maxConcurrency: 5,
    // One process takes many files: to begin anew for each, with all modules and the embedded database, costs 2 to 6 s
    // of processor time. Only what is changed for a whole process has one of its own.
    projects: [
      { extends: true, test: { name: 'quick', include, exclude: [...elsewhere, ...alone, ...wide], isolate: false } },
      { extends: true, test: { name: 'alone', include: alone, exclude: elsewhere } },
      {
        extends: true,
        test: {
          name: 'wide',
          include: wide,
          exclude: elsewhere,
          isolate: false,
          globalSetup: ['packages/cli/src/testing/packed.ts'],
        },
      },
      {
        extends: true,
        // After all other projects, where they run together, and one file after the other.
        test: { name: 'timing', include: [timing], isolate: false, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
    reporters,
  },
})
