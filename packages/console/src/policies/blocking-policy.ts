import { apiErrors, type UserFacingError } from '@sluice/contract'

/** Returns the first policy that an error names as the reason for a rejection. */
export function blockingPolicyIn({ code, metadata }: UserFacingError): string | undefined {
  const id = code === apiErrors.stoppedByPolicy.code ? metadata?.policyId : undefined
  return typeof id === 'string' ? id : undefined
}
