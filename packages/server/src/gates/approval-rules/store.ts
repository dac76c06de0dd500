import { type AnyPgColumn, and, eq, type SQL, sql } from '../../platform/db/drizzle.ts'
import { ruleStore } from '../rule-store.ts'
import { approvalRules } from './tables.ts'

export const approvalRuleStore = ruleStore(approvalRules, 'approval rule', 'apr')

/** Subquery: whether the organization has approval rules. */
export const hasApprovalRules = (organizationId: AnyPgColumn): SQL<boolean> =>
  sql<boolean>`exists (select from ${approvalRules} where ${eq(approvalRules.organizationId, organizationId)})`

/** Subquery: whether the organization has approval rules for steps. */
export const hasStepRules = (organizationId: AnyPgColumn): SQL<boolean> =>
  sql<boolean>`exists (select from ${approvalRules} where ${and(eq(approvalRules.organizationId, organizationId), guardsSteps)})`

const guardsSteps = sql`${approvalRules.guards} <> '["DEPLOYMENTS"]'::jsonb`
