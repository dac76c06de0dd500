import type { ErrorEntry, RefusalEntry } from './entry.ts'

export const policyRefusals = {
  policyNotFound: { code: 'Sluice:Policies:NOT_FOUND', status: 404, title: 'There is no such policy.' },
  tooManyPolicies: {
    code: 'Sluice:Policies:TOO_MANY',
    status: 422,
    title: 'The organization has as many policies as it may have.',
  },
  policyInvalid: {
    code: 'Sluice:Policies:EXPRESSION_INVALID',
    status: 422,
    title: 'The expression of a policy is not valid.',
  },
  policyTestsFailed: { code: 'Sluice:Policies:TESTS_FAILED', status: 422, title: 'A test of the policy fails.' },
  stoppedByPolicy: { code: 'Sluice:Policies:STOPPED', status: 422, title: 'A policy stops it.' },
} as const satisfies Record<string, RefusalEntry>

export const policyFailures = {
  releaseStoppedByPolicy: {
    code: 'Sluice:Policies:RELEASE_STOPPED',
    title: 'A policy stops a release that waited when it is about to start.',
  },
  applyStoppedByPolicy: { code: 'Sluice:Policies:APPLY_STOPPED', title: 'A policy stops the plan from being applied.' },
} as const satisfies Record<string, ErrorEntry>
