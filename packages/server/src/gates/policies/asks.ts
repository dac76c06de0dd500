import type { PolicyVerdict } from '@sluice/contract'
import type { Rule } from '../approval-rules/machine.ts'
import { asking } from './machine.ts'

/**
 * What policies ask people of something, as approval rules that guard such things would: by the versions that it was
 * judged by, whatever became of the policies since then.
 */
export const rulesOfPolicies = (verdicts: readonly PolicyVerdict[], guards: Rule['guards']): Rule[] =>
  asking(verdicts).map(({ policyId: id, name, message = null, approval = anybody }) => ({
    ...{ id, name, reason: message, ...approval },
    ...{ excludeAuthor: false, serviceAccounts: false, expiresAfterMinutes: null, rollbacks: true },
    ...{ guards, mode: 'ENFORCE' },
  }))

/** Who approves where a policy does not say. */
export const anybody = { requiredApprovals: 1, teamIds: [], excludeStarter: false }
