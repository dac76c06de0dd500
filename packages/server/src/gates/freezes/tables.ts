import type { FreezableOperation, Freeze, FreezeWindow } from '@sluice/contract'
import { timestampColumn } from '../../platform/db/columns.ts'
import { index, jsonb, pgTable, text } from '../../platform/db/drizzle.ts'
import { renamedText } from '../../platform/db/renamed.ts'
import { ruleColumns } from '../scope-columns.ts'

export const freezes = pgTable(
  'freezes',
  {
    ...ruleColumns,
    name: text('name').notNull(),
    reason: text('reason'),
    window: jsonb('window').$type<FreezeWindow>().notNull(),
    stops: jsonb('stops').$type<FreezableOperation[]>().notNull(),
    mode: text('mode').$type<Freeze['mode']>().notNull(),
    onRelease: renamedText<Freeze['onRelease']>('on_release', { REJECT: 'REFUSE' }).notNull(),
    afterwards: text('afterwards').$type<Freeze['afterwards']>().notNull(),
    createdBy: text('created_by').notNull(),
  },
  (table) => [index('freezes_organization').on(table.organizationId, table.id)],
)

export const freezeOverrides = pgTable(
  'freeze_overrides',
  {
    ...ruleColumns,
    freezeId: text('freeze_id')
      .notNull()
      .references(() => freezes.id, { onDelete: 'cascade' }),
    reason: text('reason').notNull(),
    until: timestampColumn('until').notNull(),
    createdBy: text('created_by').notNull(),
  },
  (table) => [
    index('freeze_overrides_freeze').on(table.freezeId, table.id),
    index('freeze_overrides_organization').on(table.organizationId, table.until),
  ],
)

export type FreezeRow = typeof freezes.$inferSelect
export type FreezeOverrideRow = typeof freezeOverrides.$inferSelect
/** Settings of a freeze without its scope. */
export type FreezeRules = Pick<Freeze, 'name' | 'window' | 'stops' | 'mode' | 'onRelease' | 'afterwards'>
