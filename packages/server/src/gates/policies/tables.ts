import type { PolicyGuards, PolicyRules, PolicyTest } from '@sluice/contract'
import { timestampColumn } from '../../platform/db/columns.ts'
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { renamedJson } from '../../platform/db/renamed.ts'
import { formerPolicyApproval, formerPolicyRules } from '../former-names.ts'
import { ruleColumns } from '../scope-columns.ts'

const policyId = () =>
  text('policy_id')
    .notNull()
    .references(() => policies.id, { onDelete: 'cascade' })

export const policies = pgTable(
  'policies',
  {
    ...ruleColumns,
    guards: text('guards').$type<PolicyGuards>().notNull(),
    version: integer('version').notNull(),
    name: text('name').notNull(),
    description: text('description'),
    expression: text('expression').notNull(),
    message: text('message').notNull(),
    effect: text('effect').$type<PolicyRules['effect']>().notNull(),
    approval: renamedJson('approval', formerPolicyApproval),
    isEnabled: boolean('is_enabled').notNull(),
    rollbacks: boolean('rollbacks').notNull(),
    tests: jsonb('tests').$type<PolicyTest[]>().notNull(),
    createdBy: text('created_by').notNull(),
  },
  (table) => [index('policies_organization').on(table.organizationId, table.id)],
)

/** Content of a policy after each change. */
export const policyVersions = pgTable(
  'policy_versions',
  {
    ...ruleColumns,
    policyId: policyId(),
    version: integer('version').notNull(),
    rules: renamedJson('rules', formerPolicyRules).notNull(),
    createdBy: text('created_by').notNull(),
  },
  (table) => [
    uniqueIndex('policy_versions_policy').on(table.policyId, table.version),
    index('policy_versions_organization').on(table.organizationId, table.id),
  ],
)

export const policyOverrides = pgTable(
  'policy_overrides',
  {
    ...ruleColumns,
    policyId: policyId(),
    /**
     * Pipeline of the scope, with its project. The migration defines the foreign key, because `pipelines` belong to a
     * higher layer.
     */
    pipelineId: text('pipeline_id'),
    reason: text('reason').notNull(),
    until: timestampColumn('until').notNull(),
    createdBy: text('created_by').notNull(),
  },
  (table) => [
    index('policy_overrides_policy').on(table.policyId, table.id),
    index('policy_overrides_organization').on(table.organizationId, table.until),
  ],
)

export type PolicyRow = typeof policies.$inferSelect
export type PolicyVersionRow = typeof policyVersions.$inferSelect
export type PolicyOverrideRow = typeof policyOverrides.$inferSelect
