import type { WatchedApply, WatchedRepositoryPlan, WatchedStatus } from '@sluice/contract'
import { organizations, serviceAccounts } from '../../identity/organizations/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
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

/** Stored part of a plan for display. */
export type StoredPlanSummary = {
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
    /** May be deleted earlier; then the repository has no effect any more. */
    codeSourceId: text('code_source_id').notNull(),
    branch: text('branch').notNull(),
    /** Path from the root of the repository; empty for the root. */
    path: text('path').notNull(),
    serviceAccountId: text('service_account_id').references(() => serviceAccounts.id, { onDelete: 'set null' }),
    apply: text('apply').$type<WatchedApply>().notNull(),
    prune: boolean('prune').notNull(),
    runStacks: boolean('run_stacks').notNull(),
    comments: boolean('comments').notNull(),

    status: renamedText<WatchedStatus>('status', { APPLIED: 'IN_FORCE', INVALID: 'FAULTY' }).notNull(),
    message: text('message'),
    /** Newest known commit of the branch. */
    commit: text('commit'),
    plannedAt: timestampColumn('planned_at'),
    appliedCommit: text('applied_commit'),
    appliedAt: timestampColumn('applied_at'),
    plan: jsonb('plan').$type<StoredPlanSummary>().notNull(),
    /** Digest of the changes; null if there are none. */
    planDigest: text('plan_digest'),
    changeCount: integer('change_count').notNull().default(0),
    faultCount: integer('fault_count').notNull().default(0),
    /** Digest of the approved plan, until it is applied or changes. */
    approvedDigest: text('approved_digest'),
    approvedBy: text('approved_by'),

    // The API never returns the columns below.
    /** Number of changes, so that a concurrent pass cannot store outdated results. */
    revision: integer('revision').notNull().default(0),
    /** Number of consecutive failed passes. */
    failures: integer('failures').notNull().default(0),
    /** Time of the next pass. */
    dueAt: timestampColumn('due_at'),
    /** Time of the next message, which is postponed during a pass. */
    wakeAt: timestampColumn('wake_at'),
  },
  (table) => [
    // Two repositories for one project would undo each other's changes.
    uniqueIndex('watched_repositories_project').on(table.projectId),
    index('watched_repositories_organization').on(table.organizationId, table.id),
    index('watched_repositories_code_source').on(table.codeSourceId),
    index('watched_repositories_service_account').on(table.serviceAccountId),
    index('watched_repositories_wake').on(table.wakeAt).where(sql`wake_at is not null`),
  ],
)

/** Open pull requests that change watched files. */
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
    /** Text of its comment. */
    told: text('told'),
    revision: integer('revision').notNull().default(0),
    failures: integer('failures').notNull().default(0),
    /** Time of the next plan; null if this commit has been planned. */
    dueAt: timestampColumn('due_at'),
    wakeAt: timestampColumn('wake_at'),
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
