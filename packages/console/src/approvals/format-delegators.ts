import type { InPlaceOf } from '@sluice/contract'

/** Returns the suffix that names the approvers who delegated their decision. */
export const formatDelegators = (onBehalfOf: InPlaceOf | undefined): string =>
  onBehalfOf === undefined ? '' : ` on behalf of ${onBehalfOf.map(({ name }) => name).join(' and ')}`
