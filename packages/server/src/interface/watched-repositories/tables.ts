import type { WatchedApply, WatchedRepositoryPlan, WatchedStatus } from '@sluice/contract'
import { organizations, serviceAccounts } from '../../identity/organizations/tables.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
import { boolean, index, integer, jsonb, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { renamedText } from '../../platform/db/renamed.ts'
import { projects } from '../../projects/projects/tables.ts'

const organizationId = () =>
  text('organization_id')
    .notNull()
    .references(() => organizations.id, { onDelete: 'cascade' })

const projectId = () =>
  text('project_id')
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' })

/** What a plan found, as far as it is kept for those who look. */
export type FoundByPlan = {
  changes: WatchedRepositoryPlan['changes']
  faults: WatchedRepositoryPlan['errors']
  isCut: boolean
}

export const watchedRepositories = pgTable(
  'watched_repositories',
  {
    ...recordColumns,
    organizationId: organizationId(),
    projectId: projectId(),
    /** Which may be gone before this: then nothing comes of it any more. */
    codeSourceId: text('code_source_id').notNull(),
    branch: text('branch').notNull(),
    /** From the root of the repository, which itself is the empty text. */
    path: text('path').notNull(),
    serviceAccountId: text('service_account_id').references(() => serviceAccounts.id, { onDelete: 'set null' }),
    apply: text('apply').$type<WatchedApply>().notNull(),
    prune: boolean('prune').notNull(),
    runStacks: boolean('run_stacks').notNull(),
    comments: boolean('comments').notNull(),

    status: renamedText<WatchedStatus>('status', { APPLIED: 'IN_FORCE', INVALID: 'FAULTY' }).notNull(),
    message: text('message'),
    /** The newest one that is known of the branch. */
    commit: text('commit'),
    plannedAt: moment('planned_at'),
    appliedCommit: text('applied_commit'),
    appliedAt: moment('applied_at'),
    plan: jsonb('plan').$type<FoundByPlan>().notNull(),
    /** Names what would change; null where nothing would. */
    planDigest: text('plan_digest'),
    changeCount: integer('change_count').notNull().default(0),
    faultCount: integer('fault_count').notNull().default(0),
    /** The plan that somebody agreed to, until it is applied or another one is found. */
    approvedDigest: text('approved_digest'),
    approvedBy: text('approved_by'),

    // From here on: what the wire never shows.
    /** Counts what it was told: what was found out before is not saved after it. */
    revision: integer('revision').notNull().default(0),
    /** How often in a row a look could not be brought to its end. */
    failures: integer('failures').notNull().default(0),
    /** When it is looked at next. */
    dueAt: moment('due_at'),
    /** When somebody is told to, which is put off while one is. */
    wakeAt: moment('wake_at'),
  },
  (table) => [
    // Two that keep files in force in one project would take turns at undoing each other.
    uniqueIndex('watched_repositories_project').on(table.projectId),
    index('watched_repositories_organization').on(table.organizationId, table.id),
    index('watched_repositories_code_source').on(table.codeSourceId),
    index('watched_repositories_service_account').on(table.serviceAccountId),
    index('watched_repositories_wake').on(table.wakeAt).where(sql`wake_at is not null`),
  ],
)

/** A pull request that changes watched files, while it is open. */
export const watchedPullRequests = pgTable(
  'watched_pull_requests',
  {
    ...recordColumns,
    organizationId: organizationId(),
    projectId: projectId(),
    watchedRepositoryId: text('watched_repository_id')
      .notNull()
      .references(() => watchedRepositories.id, { onDelete: 'cascade' }),
    number: integer('number').notNull(),
    commit: text('commit').notNull(),
    /** The comment that it has. */
    told: text('told'),
    revision: integer('revision').notNull().default(0),
    failures: integer('failures').notNull().default(0),
    /** When it is planned; null: it was, at this commit. */
    dueAt: moment('due_at'),
    wakeAt: moment('wake_at'),
  },
  (table) => [
    uniqueIndex('watched_pull_requests_once').on(table.watchedRepositoryId, table.number),
    index('watched_pull_requests_organization').on(table.organizationId),
    index('watched_pull_requests_project').on(table.projectId),
    index('watched_pull_requests_wake').on(table.wakeAt).where(sql`wake_at is not null`),
  ],
)

export type WatchedRepositoryRow = typeof watchedRepositories.$inferSelect
export type WatchedPullRequestRow = typeof watchedPullRequests.$inferSelect
