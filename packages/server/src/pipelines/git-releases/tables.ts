import type { DeploymentStatus } from '@sluice/contract'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { codeSources } from '../../git/code-sources/tables.ts'
import { organizations } from '../../identity/organizations/tables.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
import { boolean, index, integer, pgTable, sql, text } from '../../platform/db/drizzle.ts'

/** What a host can be told of a release: how it stands, and that it runs no more. */
export type ToldStatus = DeploymentStatus | 'REPLACED'

/**
 * What the git host is told of a release. A trigger of the database writes the row with the deployment, where the
 * organization has connected a repository; the release never waits for it.
 */
export const gitReleases = pgTable(
  'git_releases',
  {
    ...recordColumns,
    /** That of the deployment. */
    id: text('id')
      .primaryKey()
      .references(() => deployments.id, { onDelete: 'cascade' }),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    environmentId: text('environment_id').notNull(),
    /** What is released of which repository, once the host was to be told of it at first. */
    codeSourceId: text('code_source_id').references(() => codeSources.id, { onDelete: 'set null' }),
    commit: text('commit'),
    /** When it was first tried to have the host make its record of it. */
    attemptedAt: moment('attempted_at'),
    /** Until when one call alone may have the host make it: two at once would make two. */
    claimedUntil: moment('claimed_until'),
    /** What the host calls it. */
    hostId: text('host_id'),
    /** A later release of the instance has succeeded, or the preview environment that it is in goes. */
    isReplaced: boolean('is_replaced').notNull().default(false),
    /** What was told last, or found to be nothing to tell. */
    toldStatus: text('told_status').$type<ToldStatus>(),
    /** How often in a row the host could not be told. */
    failures: integer('failures').notNull().default(0),
    /** Why it was given up. */
    failure: text('failure'),
    /** From when on the host may be told; null while there is nothing to tell. A trigger sees changes of status. */
    wakeAt: moment('wake_at'),
  },
  (table) => [
    index('git_releases_wake').on(table.wakeAt).where(sql`wake_at is not null`),
    // Which of those that a host has are ours.
    index('git_releases_host').on(table.codeSourceId, table.hostId),
  ],
)

export type GitReleaseRow = typeof gitReleases.$inferSelect
