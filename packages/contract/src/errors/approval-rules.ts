import type { ApiErrorEntry, ErrorEntry } from './entry.ts'

export const approvalRuleErrors = {
  approvalRuleNotFound: {
    code: 'Sluice:ApprovalRules:NOT_FOUND',
    status: 404,
    title: 'The approval rule does not exist.',
  },
  tooManyApprovalRules: {
    code: 'Sluice:ApprovalRules:TOO_MANY',
    status: 422,
    title: 'The organization has reached its limit of approval rules.',
  },
  approvalDelegationNotFound: {
    code: 'Sluice:ApprovalDelegations:NOT_FOUND',
    status: 404,
    title: "The delegation does not exist or is not the caller's.",
  },
  delegationImpossible: {
    code: 'Sluice:ApprovalDelegations:IMPOSSIBLE',
    status: 422,
    title: 'The delegation is not possible.',
  },
  noApprovalAwaited: {
    code: 'Sluice:Deployments:NO_PENDING_APPROVAL',
    status: 422,
    title: 'The deployment is not waiting for approval.',
  },
  notCounted: {
    code: 'Sluice:ApprovalRules:NOT_COUNTED',
    status: 403,
    title: 'No rule counts an approval by the caller.',
  },
  alreadyApproved: {
    code: 'Sluice:ApprovalRules:ALREADY_APPROVED',
    status: 422,
    title: 'The caller has already approved it.',
  },
  notApproved: {
    code: 'Sluice:ApprovalRules:NOT_APPROVED',
    status: 422,
    title: 'The caller has not approved it.',
  },
  releaseChanged: {
    code: 'Sluice:ApprovalRules:RELEASE_CHANGED',
    status: 422,
    title: 'The release has changed since it was read.',
  },
} as const satisfies Record<string, ApiErrorEntry>

export const approvalRuleFailures = {
  releaseRejected: { code: 'Sluice:Deployments:REJECTED', title: 'The release was rejected.' },
  releaseNotApproved: { code: 'Sluice:Deployments:NOT_APPROVED', title: 'The release was not approved in time.' },
} as const satisfies Record<string, ErrorEntry>
