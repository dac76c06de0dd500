import { refusals, type UserFacingError } from '@sluice/contract'

/** The policy that something is refused for; of more than one, that which the refusal names first. */
export function stoppingPolicyIn({ code, metadata }: UserFacingError): string | undefined {
  const id = code === refusals.stoppedByPolicy.code ? metadata?.policyId : undefined
  return typeof id === 'string' ? id : undefined
}
