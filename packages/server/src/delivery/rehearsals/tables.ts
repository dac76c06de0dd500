import type { ComposedScenario, RehearsalScenario, RehearsalStatus, UserFacingError } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { index, integer, jsonb, pgTable, sql, text } from '../../platform/db/drizzle.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import type { Release } from '../deployments/types/release.ts'

export const rehearsals = pgTable(
  'rehearsals',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    environmentId: text('environment_id')
      .notNull()
      .references(() => environments.id, { onDelete: 'cascade' }),
    moduleInstanceId: text('module_instance_id')
      .notNull()
      .references(() => moduleInstances.id, { onDelete: 'cascade' }),
    /** Of a rollback: deployment to which it returns. It can be gone. */
    rollbackToDeploymentId: text('rollback_to_deployment_id'),
    status: text('status').$type<RehearsalStatus>().notNull(),
    triggeredBy: text('triggered_by').notNull(),
    /** Names of the requested scenarios, in their order. */
    scenarioNames: text('scenario_names').array().notNull(),
    /** Definitions of those that are composed. */
    composedScenarios: jsonb('composed_scenarios').$type<ComposedScenario[]>().notNull().default([]),
    scenarios: jsonb('scenarios').$type<RehearsalScenario[]>().notNull(),
    assumptions: text('assumptions').array().notNull(),
    error: jsonb('error').$type<UserFacingError>(),
    completedAt: timestampColumn('completed_at'),

    // The API never returns the columns below.
    /** Resolved release; null once the rehearsal has finished, because it can contain secrets. */
    release: jsonb('release').$type<Release>(),
    /** Hash of the release, by which policies find rehearsals of it; null for those of earlier versions. */
    releaseHash: text('release_hash'),
    /** Step of a pipeline run that waits for the rehearsal. */
    stepExecutionId: text('step_execution_id'),
    /** Number of times that a worker started it. */
    attempts: integer('attempts').notNull().default(0),
    /** End of the last worker's lease. */
    leasedUntil: timestampColumn('leased_until'),
    /** When its message is sent again; null once it has finished. */
    wakeAt: timestampColumn('wake_at'),
  },
  (table) => [
    index('rehearsals_organization').on(table.organizationId, table.id),
    index('rehearsals_instance').on(table.moduleInstanceId, table.id),
    index('rehearsals_step').on(table.stepExecutionId).where(sql`step_execution_id is not null`),
    index('rehearsals_release').on(table.moduleInstanceId, table.releaseHash, table.id),
    index('rehearsals_environment').on(table.environmentId),
    index('rehearsals_project').on(table.projectId),
    index('rehearsals_wake').on(table.wakeAt).where(sql`wake_at is not null`),
  ],
)

/** Scenarios without their timelines, which can have megabytes. */
export const scenariosWithoutTimelines = sql<Omit<RehearsalScenario, 'timeline'>[]>`
  (select coalesce(jsonb_agg(scenario - 'timeline'), '[]') from jsonb_array_elements(${rehearsals.scenarios}) as scenario)`

export type RehearsalRow = typeof rehearsals.$inferSelect
