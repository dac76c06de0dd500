import type { PolicyVerdict } from '@sluice/contract'
import type { Rule } from '../approval-rules/machine.ts'
import { approvalVerdicts } from './machine.ts'

/**
 * Returns the approvals that policies require, in the form of approval rules. Uses the policy versions of the decision,
 * regardless of later changes.
 */
export const rulesOfPolicies = (verdicts: readonly PolicyVerdict[], guards: Rule['guards']): Rule[] =>
  approvalVerdicts(verdicts).map(({ policyId: id, name, message = null, approval = defaultApproval }) => ({
    id,
    name,
    reason: message,
    ...approval,
    excludeAuthor: false,
    serviceAccounts: false,
    expiresAfterMinutes: null,
    rollbacks: true,
    guards,
    mode: 'ENFORCE',
  }))

/** Default approval requirement of a policy. */
export const defaultApproval = { requiredApprovals: 1, teamIds: [], excludeStarter: false }
