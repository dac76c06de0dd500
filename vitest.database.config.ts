import { defineConfig } from 'vitest/config'
import { databaseTests } from './testing/database-tests.ts'
import base, { alone } from './vitest.config.ts'

/**
 * Tests of what a database server does differently from the embedded database, which has one connection: everything else
 * is PostgreSQL in both. A new test belongs here if several transactions compete in it, or if it tests `platform/db`.
 */
const include = [
  // Connections, transactions, the schema, row-level security, and batches of periodic tasks.
  'packages/server/src/platform/db/**/*.test.ts',
  'packages/cli/src/operate/database-server.wide.test.ts',
  // Tenancy and roles: every operation acts in the role that the policies restrict.
  'packages/server/src/interface/conformance/tenancy*.test.ts',
  // Rows that other transactions delete or repeat at the same time.
  'packages/server/src/interface/conformance/lost-references.wide.test.ts',
  'packages/server/src/interface/idempotency/answer-once.test.ts',
  // Queues and admission.
  'packages/server/src/delivery/deployments/**/{admit,crowds,queue,wake-ups}*.test.ts',
  'packages/server/src/pipelines/pipeline-runs/{admit,numbers,start}*.test.ts',
  // Leases of steps, and steps that run twice.
  'packages/server/src/pipelines/runner/{claim,follow,keep-log}.test.ts',
  'packages/server/src/pipelines/runner-pools/pool.test.ts',
  'packages/server/src/pipelines/pipeline-step-executions/work/twice.test.ts',
  // Locks of Terraform states.
  'packages/server/src/infrastructure/state-backend/state-backend.test.ts',
  // Periodic deletion.
  'packages/server/src/{identity/audit-events,delivery/infrastructure-events,stacks/iac-states}/retention.test.ts',
  // Streams of changes and of notifications, which read in the order of commits.
  'packages/server/src/interface/changes/{changes,follower,slow-client,socket}.test.ts',
  'packages/server/src/notifications/notification-events/routes.test.ts',
  'packages/server/src/pipelines/step-logs/routes.test.ts',
  // Limits that are counted in the database.
  'packages/server/src/platform/limits/stored.test.ts',
]

/** `npm run test:database`: the tests that need a database server. */
export default defineConfig({
  test: {
    ...base.test,
    projects: [
      {
        extends: true,
        test: {
          name: 'database',
          include,
          exclude: alone,
          isolate: false,
          globalSetup: ['packages/cli/src/testing/packed.ts'],
        },
      },
      { extends: true, test: { name: 'database-alone', include: databaseTests(alone) } },
    ],
  },
})
