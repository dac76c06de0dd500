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
    /** A team that is gone stays named: nobody counts by it, and the rule asks for no less than before. */
    teamIds: jsonb('team_ids').$type<string[]>().notNull(),
    excludeStarter: boolean('not_starter').notNull(),
    excludeAuthor: boolean('not_author').notNull().default(false),
    serviceAccounts: boolean('service_accounts').notNull(),
    /** Null: what waits for it waits on. */
    expiresAfterMinutes: integer('expires_after_minutes'),
    rollbacks: boolean('rollbacks').notNull(),
    guards: jsonb('guards').$type<ApprovalRule['guards']>().notNull().default(['DEPLOYMENTS']),
    mode: text('mode').$type<ApprovalRule['mode']>().notNull(),
    createdBy: text('created_by').notNull(),
  },
  (table) => [index('approval_rules_organization').on(table.organizationId, table.id)],
)

export type ApprovalRuleRow = typeof approvalRules.$inferSelect
