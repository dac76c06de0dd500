import type { InPlaceOf } from '@sluice/contract'

/** Returns the suffix that names the approvers who delegated their decision. */
export const onBehalfOf = (inPlaceOf: InPlaceOf | undefined): string =>
  inPlaceOf === undefined ? '' : ` on behalf of ${inPlaceOf.map(({ name }) => name).join(' and ')}`
