import type { Approval, InPlaceOf, PrincipalType } from '@sluice/contract'
import { organizations } from '../../../identity/organizations/tables.ts'
import { recordColumns } from '../../../platform/db/columns.ts'
import { index, jsonb, pgTable, text, uniqueIndex } from '../../../platform/db/drizzle.ts'
import { deployments } from '../store/tables.ts'

/** What people decided about releases that wait. It goes with the deployment. */
export const deploymentApprovals = pgTable(
  'deployment_approvals',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Where the deployment is: both may be hidden with it. */
    projectId: text('project_id').notNull(),
    environmentId: text('environment_id').notNull(),
    deploymentId: text('deployment_id')
      .notNull()
      .references(() => deployments.id, { onDelete: 'cascade' }),
    verdict: text('verdict').$type<Approval['verdict']>().notNull(),
    actorType: text('actor_type').$type<PrincipalType>().notNull(),
    /** The membership or service account. */
    actorId: text('actor_id').notNull(),
    actorName: text('actor_name').notNull(),
    comment: text('comment'),
    /** In whose place it counted when it was given; null where it was the person's own. */
    onBehalfOf: jsonb('in_place_of').$type<InPlaceOf>(),
    releaseDigest: text('release_digest').notNull(),
  },
  (table) => [
    index('deployment_approvals_organization').on(table.organizationId, table.id),
    // One decision a person.
    uniqueIndex('deployment_approvals_actor').on(table.deploymentId, table.actorId),
  ],
)

export type DeploymentApprovalRow = typeof deploymentApprovals.$inferSelect
