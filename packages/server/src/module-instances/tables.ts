import type { ModuleInstanceStatus, UserFacingError } from '@sluice/contract'
import { sql } from 'drizzle-orm'
import { index, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { moduleDefinitions, moduleVersions } from '../module-definitions/tables.ts'
import { organizations } from '../organizations/tables.ts'
import { recordColumns } from '../platform/db/columns.ts'
import { environments, projects } from '../projects/tables.ts'

export const moduleInstances = pgTable(
  'module_instances',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id),
    environmentId: text('environment_id')
      .notNull()
      .references(() => environments.id),
    moduleDefinitionId: text('module_definition_id')
      .notNull()
      .references(() => moduleDefinitions.id),
    moduleVersionId: text('module_version_id')
      .notNull()
      .references(() => moduleVersions.id),
    givenId: text('given_id').notNull(),
    name: text('name').notNull(),
    description: text('description'),
    type: text('type').notNull(),
    status: text('status').$type<ModuleInstanceStatus>().notNull().default('PENDING'),
    input: jsonb('input').$type<Record<string, unknown>>().notNull(),
    error: jsonb('error').$type<UserFacingError>(),
    stackId: text('stack_id'),
  },
  (table) => [
    // The name of a destroyed one is free again.
    uniqueIndex('module_instances_environment_given_id')
      .on(table.environmentId, table.givenId)
      .where(sql`status <> 'DESTROYED'`),
    index('module_instances_organization').on(table.organizationId, table.id),
  ],
)

export type ModuleInstanceRow = typeof moduleInstances.$inferSelect
