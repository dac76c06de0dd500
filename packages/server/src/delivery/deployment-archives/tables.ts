import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
import { index, pgTable, text } from '../../platform/db/drizzle.ts'
import { projects } from '../../projects/projects/tables.ts'

/**
 * What was long in some deployments of a project, as one object of the archive. The row is there before the object,
 * and is believed once `storedAt` is set, in the transaction that takes the same out of the deployments.
 */
export const deploymentArchives = pgTable(
  'deployment_archives',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    objectKey: text('object_key').notNull(),
    /** The key of the object, sealed: keys are rotated without touching the archive. */
    sealedKey: text('sealed_key').notNull(),
    storedAt: moment('stored_at'),
  },
  (table) => [
    index('deployment_archives_organization').on(table.organizationId, table.id),
    index('deployment_archives_project').on(table.projectId),
  ],
)

export type DeploymentArchiveRow = typeof deploymentArchives.$inferSelect

export const sealedDeploymentKeys = {
  column: deploymentArchives.sealedKey,
  row: [deploymentArchives.id],
  purpose: 'archive',
} as const satisfies SealedColumn
