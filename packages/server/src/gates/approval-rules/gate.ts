import { sql } from '../../platform/db/drizzle.ts'
import type { Gate } from '../gate.ts'
import { hasPoliciesAskingOfPlans } from '../policies/store.ts'
import { loadApprovals } from './load.ts'
import { approvalGate } from './machine.ts'
import { hasApprovalRules, hasStepRules } from './store.ts'

export const approvalRules: Gate = {
  name: 'APPROVAL_RULE',
  moments: ['START', 'RUN', 'STEP'],
  exists: (organizationId, moment) =>
    moment === 'STEP'
      ? sql<boolean>`(${hasStepRules(organizationId)} or ${hasPoliciesAskingOfPlans(organizationId)})`
      : hasApprovalRules(organizationId),
  async load(rules, { approval }, _) {
    if (!approval) return { loaded: approvalGate({ demands: [], names: new Map() }) }
    const approvals = await loadApprovals(rules, approval)
    return { loaded: approvalGate(approvals), findings: { approvals } }
  },
}
