import type { Hold, HoldRule } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
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
    /** Null: all of the environment. */
    moduleInstanceId: text('module_instance_id').references(() => moduleInstances.id, { onDelete: 'cascade' }),
    reason: text('reason').notNull(),
    origin: renamedText<Hold['origin']>('origin', { USER: 'PERSON' }).notNull(),
    /** The deployment that it is there for, which may go before it. */
    deploymentId: text('deployment_id'),
    heldBy: text('held_by').notNull(),
    /** Null while it holds. */
    liftedAt: moment('released_at'),
    liftedBy: text('released_by'),
    liftReason: text('release_reason'),
  },
  (table) => [
    index('holds_organization').on(table.organizationId, table.id),
    index('holds_instance').on(table.moduleInstanceId),
    index('holds_open').on(table.organizationId, table.environmentId).where(sql`released_at is null`),
    // An instance is held by itself once, however many releases to it are rolled back meanwhile.
    uniqueIndex('holds_after_rollback')
      .on(table.moduleInstanceId)
      .where(sql`origin = 'ROLLBACK' and released_at is null`),
  ],
)

/** When instances of an environment are held by themselves. It goes with the environment. */
export const holdRules = pgTable('hold_rules', {
  environmentId: text('environment_id')
    .primaryKey()
    .references(() => environments.id, { onDelete: 'cascade' }),
  organizationId: organizationId(),
  /** Of the environment, which may be hidden with it. */
  projectId: text('project_id').notNull(),
  afterRollback: boolean('after_rollback').notNull(),
  mode: text('mode').$type<HoldRule['mode']>().notNull().default('ENFORCE'),
})

export type HoldRow = typeof holds.$inferSelect
