import type { ServiceState } from '@sluice/contract'

/** Labels of service states. */
export const stateLabels = {
  PAUSED: 'Paused',
  IN_PROGRESS: 'In progress',
  FAILED: 'Failed',
  HELD: 'Held',
  DRIFTED: 'Drifted',
  NOT_RELEASED: 'Not deployed',
  STEADY: 'Stable',
} as const satisfies Record<ServiceState, string>
