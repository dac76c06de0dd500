import type { DeploymentStatus } from '@sluice/contract'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { codeSources } from '../../git/code-sources/tables.ts'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { boolean, index, integer, pgTable, sql, text } from '../../platform/db/drizzle.ts'

/** Status of a release in reports; `REPLACED` if it is not running any more. */
export type ReportedStatus = DeploymentStatus | 'REPLACED'

/**
 * Reports of releases to the Git host. A database trigger creates the row with the deployment if the organization has
 * connected a repository. Releases never wait for them.
 */
export const gitReleases = pgTable(
  'git_releases',
  {
    ...recordColumns,
    /** Id of the deployment. */
    id: text('id')
      .primaryKey()
      .references(() => deployments.id, { onDelete: 'cascade' }),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    environmentId: text('environment_id').notNull(),
    /** Released commit and its code source, stored before the first report. */
    codeSourceId: text('code_source_id').references(() => codeSources.id, { onDelete: 'set null' }),
    commit: text('commit'),
    /** First attempt to create the host's record. */
    attemptedAt: timestampColumn('attempted_at'),
    /** End of the lease of the call that creates the record: concurrent calls would create two. */
    claimedUntil: timestampColumn('claimed_until'),
    /** Host's id of the record. */
    hostId: text('host_id'),
    /** Whether a later release of the instance has succeeded, or its preview environment is being deleted. */
    isReplaced: boolean('is_replaced').notNull().default(false),
    /** Last reported status, or the status for which nothing had to be reported. */
    toldStatus: text('told_status').$type<ReportedStatus>(),
    /** Number of consecutive failed reports. */
    failures: integer('failures').notNull().default(0),
    /** Reason why reporting was given up. */
    failure: text('failure'),
    /** Time of the next report; null if there is nothing to report. A trigger sets it when the status changes. */
    wakeAt: timestampColumn('wake_at'),
  },
  (table) => [
    index('git_releases_wake').on(table.wakeAt).where(sql`wake_at is not null`),
    // Host records that belong to Sluice.
    index('git_releases_host').on(table.codeSourceId, table.hostId),
  ],
)

export type GitReleaseRow = typeof gitReleases.$inferSelect
