import type { Approval, Delegators, PrincipalType } from '@sluice/contract'
import { organizations } from '../../../identity/organizations/tables.ts'
import { recordColumns } from '../../../platform/db/columns.ts'
import { index, jsonb, pgTable, text, uniqueIndex } from '../../../platform/db/drizzle.ts'
import { deployments } from '../store/tables.ts'

/** Decisions of users about deployments that wait for approval. Deleted together with the deployment. */
export const deploymentApprovals = pgTable(
  'deployment_approvals',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Project of the deployment: users without access to the project cannot see the decision. */
    projectId: text('project_id').notNull(),
    environmentId: text('environment_id').notNull(),
    deploymentId: text('deployment_id')
      .notNull()
      .references(() => deployments.id, { onDelete: 'cascade' }),
    verdict: text('verdict').$type<Approval['verdict']>().notNull(),
    actorType: text('actor_type').$type<PrincipalType>().notNull(),
    /** Id of the membership or service account that decided. */
    actorId: text('actor_id').notNull(),
    actorName: text('actor_name').notNull(),
    comment: text('comment'),
    /** User whom the approver substituted for; null if the approver decided for themselves. */
    onBehalfOf: jsonb('in_place_of').$type<Delegators>(),
    releaseDigest: text('release_digest').notNull(),
  },
  (table) => [
    index('deployment_approvals_organization').on(table.organizationId, table.id),
    // A user can decide about a deployment once.
    uniqueIndex('deployment_approvals_actor').on(table.deploymentId, table.actorId),
  ],
)

export type DeploymentApprovalRow = typeof deploymentApprovals.$inferSelect
