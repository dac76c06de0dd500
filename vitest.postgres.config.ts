import { defineConfig } from 'vitest/config'
import { databaseTests } from './testing/database-tests.ts'
import base, { alone, elsewhere } from './vitest.config.ts'

/** Other packages call the service over HTTP, as tests of the server do: a second run of theirs would show nothing new. */
const include = ['packages/server/{src,demo}/**/*.test.ts', 'packages/cli/src/operate/*.test.ts']

/** `npm run test:postgres`: all tests of the server that open a database, on a database server. */
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
