import { defineConfig } from 'vitest/config'
import { databaseTests } from './testing/database-tests.ts'
import base, { alone, elsewhere, include } from './vitest.config.ts'

/** `npm run test:postgres`: all tests that open a database, on a database server. */
export default defineConfig({
  test: {
    ...base.test,
    projects: [
      {
        extends: true,
        test: {
          name: 'postgres',
          include: databaseTests(include),
          exclude: [...elsewhere, ...alone],
          isolate: false,
          globalSetup: ['packages/cli/src/testing/packed.ts'],
        },
      },
      { extends: true, test: { name: 'postgres-alone', include: databaseTests(alone) } },
    ],
  },
})
