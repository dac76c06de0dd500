import type { Delegators } from '@sluice/contract'

/** Returns the suffix that names the approvers who delegated their decision. */
export const formatDelegators = (onBehalfOf: Delegators | undefined): string =>
  onBehalfOf === undefined ? '' : ` on behalf of ${onBehalfOf.map(({ name }) => name).join(' and ')}`
