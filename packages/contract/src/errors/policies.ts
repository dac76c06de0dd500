import type { ApiErrorEntry, ErrorEntry } from './entry.ts'

export const policyErrors = {
  policyNotFound: { code: 'Sluice:Policies:NOT_FOUND', status: 404, title: 'The policy does not exist.' },
  tooManyPolicies: {
    code: 'Sluice:Policies:TOO_MANY',
    status: 422,
    title: 'The organization has reached its limit of policies.',
  },
  policyInvalid: {
    code: 'Sluice:Policies:EXPRESSION_INVALID',
    status: 422,
    title: 'The expression of the policy is invalid.',
  },
  policyTestsFailed: { code: 'Sluice:Policies:TESTS_FAILED', status: 422, title: 'A test of the policy fails.' },
  stoppedByPolicy: { code: 'Sluice:Policies:DENIED', status: 422, title: 'A policy denies the operation.' },
} as const satisfies Record<string, ApiErrorEntry>

export const policyFailures = {
  releaseStoppedByPolicy: {
    code: 'Sluice:Policies:RELEASE_STOPPED',
    title: 'A policy denies a queued release when it is about to start.',
  },
  applyStoppedByPolicy: { code: 'Sluice:Policies:APPLY_STOPPED', title: 'A policy denies applying the plan.' },
} as const satisfies Record<string, ErrorEntry>
