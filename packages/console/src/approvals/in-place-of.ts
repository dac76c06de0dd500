import type { InPlaceOf } from '@sluice/contract'

/** What is said beside who decided, where they did it for others. */
export const forOthers = (inPlaceOf: InPlaceOf | undefined): string =>
  inPlaceOf === undefined ? '' : ` on behalf of ${inPlaceOf.map(({ name }) => name).join(' and ')}`
