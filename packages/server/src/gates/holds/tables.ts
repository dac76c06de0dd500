import type { Hold, HoldRule } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { boolean, index, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { renamedText } from '../../platform/db/renamed.ts'
import { environments, projects } from '../../projects/projects/tables.ts'

const organizationId = () =>
  text('organization_id')
    .notNull()
    .references(() => organizations.id, { onDelete: 'cascade' })

export const holds = pgTable(
  'holds',
  {
    ...recordColumns,
    organizationId: organizationId(),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    environmentId: text('environment_id')
      .notNull()
      .references(() => environments.id, { onDelete: 'cascade' }),
    /** Null for the whole environment. */
    moduleInstanceId: text('module_instance_id').references(() => moduleInstances.id, { onDelete: 'cascade' }),
    reason: text('reason').notNull(),
    origin: renamedText<Hold['origin']>('origin', { USER: 'PERSON' }).notNull(),
    /** Deployment that caused the hold, which may be deleted earlier. */
    deploymentId: text('deployment_id'),
    heldBy: text('held_by').notNull(),
    /** Null while the hold is active. */
    liftedAt: timestampColumn('released_at'),
    liftedBy: text('released_by'),
    liftReason: text('release_reason'),
  },
  (table) => [
    index('holds_organization').on(table.organizationId, table.id),
    index('holds_instance').on(table.moduleInstanceId),
    index('holds_open').on(table.organizationId, table.environmentId).where(sql`released_at is null`),
    // At most one automatic hold per instance, regardless of the number of rollbacks.
    uniqueIndex('holds_after_rollback')
      .on(table.moduleInstanceId)
      .where(sql`origin = 'ROLLBACK' and released_at is null`),
  ],
)

/** Settings of environments for automatic holds. Deleted with the environment. */
export const holdRules = pgTable('hold_rules', {
  environmentId: text('environment_id')
    .primaryKey()
    .references(() => environments.id, { onDelete: 'cascade' }),
  organizationId: organizationId(),
  /** Project of the environment, to which a caller may lack access. */
  projectId: text('project_id').notNull(),
  afterRollback: boolean('after_rollback').notNull(),
  mode: text('mode').$type<HoldRule['mode']>().notNull().default('ENFORCE'),
})

export type HoldRow = typeof holds.$inferSelect
