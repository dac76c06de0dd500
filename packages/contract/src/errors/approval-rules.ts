import type { ErrorEntry, RefusalEntry } from './entry.ts'

export const approvalRuleRefusals = {
  approvalRuleNotFound: {
    code: 'Sluice:ApprovalRules:NOT_FOUND',
    status: 404,
    title: 'There is no such approval rule.',
  },
  tooManyApprovalRules: {
    code: 'Sluice:ApprovalRules:TOO_MANY',
    status: 422,
    title: 'The organization has as many approval rules as it may have.',
  },
  approvalDelegationNotFound: {
    code: 'Sluice:ApprovalDelegations:NOT_FOUND',
    status: 404,
    title: 'The caller has no such delegation.',
  },
  delegationImpossible: {
    code: 'Sluice:ApprovalDelegations:IMPOSSIBLE',
    status: 422,
    title: 'Nobody can decide in the place of the caller so.',
  },
  noApprovalAwaited: {
    code: 'Sluice:Deployments:NO_APPROVAL_AWAITED',
    status: 422,
    title: 'The deployment does not wait for approval.',
  },
  notCounted: {
    code: 'Sluice:ApprovalRules:NOT_COUNTED',
    status: 403,
    title: 'The rules ask others for approval.',
  },
  alreadyApproved: {
    code: 'Sluice:ApprovalRules:ALREADY_APPROVED',
    status: 422,
    title: 'Whoever asks has approved it already.',
  },
  notApproved: {
    code: 'Sluice:ApprovalRules:NOT_APPROVED',
    status: 422,
    title: 'Whoever asks has not approved it.',
  },
  releaseChanged: {
    code: 'Sluice:ApprovalRules:RELEASE_CHANGED',
    status: 422,
    title: 'What is released is not what was seen.',
  },
} as const satisfies Record<string, RefusalEntry>

export const approvalRuleFailures = {
  releaseRejected: { code: 'Sluice:Deployments:REJECTED', title: 'Somebody turned it down.' },
  releaseNotApproved: { code: 'Sluice:Deployments:NOT_APPROVED', title: 'It was not approved in time.' },
} as const satisfies Record<string, ErrorEntry>
