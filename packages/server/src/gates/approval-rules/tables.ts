import type { ApprovalRule } from '@sluice/contract'
import { boolean, index, integer, jsonb, pgTable, text } from '../../platform/db/drizzle.ts'
import { ruleColumns } from '../scope-columns.ts'

export const approvalRules = pgTable(
  'approval_rules',
  {
    ...ruleColumns,
    name: text('name').notNull(),
    reason: text('reason'),
    requiredApprovals: integer('required_approvals').notNull(),
    /** Ids of teams. A deleted team remains, so that the rule does not become weaker. */
    teamIds: jsonb('team_ids').$type<string[]>().notNull(),
    excludeStarter: boolean('not_starter').notNull(),
    excludeAuthor: boolean('not_author').notNull().default(false),
    serviceAccounts: boolean('service_accounts').notNull(),
    /** Null for no expiry. */
    expiresAfterMinutes: integer('expires_after_minutes'),
    rollbacks: boolean('rollbacks').notNull(),
    guards: jsonb('guards').$type<ApprovalRule['guards']>().notNull().default(['DEPLOYMENTS']),
    mode: text('mode').$type<ApprovalRule['mode']>().notNull(),
    createdBy: text('created_by').notNull(),
  },
  (table) => [index('approval_rules_organization').on(table.organizationId, table.id)],
)

export type ApprovalRuleRow = typeof approvalRules.$inferSelect
