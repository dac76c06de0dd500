import type { Freeze, FreezeWindow, FrozenAct } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
import { index, jsonb, pgTable, text } from '../../platform/db/drizzle.ts'
import { environments, projects } from '../../projects/projects/tables.ts'

const organizationId = () =>
  text('organization_id')
    .notNull()
    .references(() => organizations.id, { onDelete: 'cascade' })

/** The narrowest that is set says where something holds, with those that it is in; none is the whole organization. */
export const placeColumns = {
  projectId: text('project_id').references(() => projects.id, { onDelete: 'cascade' }),
  environmentId: text('environment_id').references(() => environments.id, { onDelete: 'cascade' }),
  moduleInstanceId: text('module_instance_id').references(() => moduleInstances.id, { onDelete: 'cascade' }),
}

export const freezes = pgTable(
  'freezes',
  {
    ...recordColumns,
    organizationId: organizationId(),
    ...placeColumns,
    name: text('name').notNull(),
    reason: text('reason'),
    window: jsonb('window').$type<FreezeWindow>().notNull(),
    stops: jsonb('stops').$type<FrozenAct[]>().notNull(),
    mode: text('mode').$type<Freeze['mode']>().notNull(),
    onRelease: text('on_release').$type<Freeze['onRelease']>().notNull(),
    afterwards: text('afterwards').$type<Freeze['afterwards']>().notNull(),
    createdBy: text('created_by').notNull(),
  },
  (table) => [index('freezes_organization').on(table.organizationId, table.id)],
)

export const freezeOverrides = pgTable(
  'freeze_overrides',
  {
    ...recordColumns,
    organizationId: organizationId(),
    freezeId: text('freeze_id')
      .notNull()
      .references(() => freezes.id, { onDelete: 'cascade' }),
    ...placeColumns,
    reason: text('reason').notNull(),
    until: moment('until').notNull(),
    createdBy: text('created_by').notNull(),
  },
  (table) => [
    index('freeze_overrides_freeze').on(table.freezeId, table.id),
    index('freeze_overrides_organization').on(table.organizationId, table.until),
  ],
)

export type FreezeRow = typeof freezes.$inferSelect
export type FreezeOverrideRow = typeof freezeOverrides.$inferSelect
/** What a freeze is, wherever it holds. */
export type FreezeRules = Pick<Freeze, 'name' | 'window' | 'stops' | 'mode' | 'onRelease' | 'afterwards'>
