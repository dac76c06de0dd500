import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { index, pgTable, text } from '../../platform/db/drizzle.ts'
import { projects } from '../../projects/projects/tables.ts'

/**
 * Archive object with the large parts of deployments of a project. The row is created before the object and valid once
 * `storedAt` is set, in the transaction that removes the parts from the deployments.
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
    /** Encrypted key of the object, so that keys can be rotated without changing the archive. */
    sealedKey: text('sealed_key').notNull(),
    storedAt: timestampColumn('stored_at'),
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
