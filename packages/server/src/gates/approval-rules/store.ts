import { type AnyPgColumn, and, eq, type SQL, sql } from '../../platform/db/drizzle.ts'
import { ruleStore } from '../rule-store.ts'
import { approvalRules } from './tables.ts'

export const approvalRuleStore = ruleStore(approvalRules, 'approval rule', 'apr')

/** In a query over something else: whether its organization has approval rules at all, as with freezes. */
export const hasApprovalRules = (organizationId: AnyPgColumn): SQL<boolean> =>
  sql<boolean>`exists (select from ${approvalRules} where ${eq(approvalRules.organizationId, organizationId)})`

/** The same of rules that guard steps of any kind. */
export const hasStepRules = (organizationId: AnyPgColumn): SQL<boolean> =>
  sql<boolean>`exists (select from ${approvalRules} where ${and(eq(approvalRules.organizationId, organizationId), guardsSteps)})`

const guardsSteps = sql`${approvalRules.guards} <> '["DEPLOYMENTS"]'::jsonb`
