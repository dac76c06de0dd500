import type { ServiceState } from '@sluice/contract'

/** The states of services as people say them. */
export const stateLabels = {
  PAUSED: 'Paused',
  UNDER_WAY: 'Under way',
  FAILED: 'Failed',
  HELD: 'Held',
  DRIFTED: 'Drifted',
  NOT_RELEASED: 'Not released',
  STEADY: 'Steady',
} as const satisfies Record<ServiceState, string>
