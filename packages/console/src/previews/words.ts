import type { PreviewEnding, PreviewEnvironment, PreviewStatus } from '@sluice/contract'

/** Where a preview environment stands, as people read it. */
export const words = {
  WAITING: 'Waits for room',
  CREATING: 'Is being made',
  READY: 'Ready',
  FAILED: 'Failed',
  TEARING_DOWN: 'Is being torn down',
  GONE: 'Gone',
} as const satisfies Record<PreviewStatus, string>

/** Why one is torn down. */
export const whyOver = {
  CLOSED: 'The pull request was closed',
  EXPIRED: 'Its time is over',
  ENDED: 'Somebody ended it',
} as const satisfies Record<PreviewEnding, string>

export function colorOf({ status, failedTeardowns }: Pick<PreviewEnvironment, 'status' | 'failedTeardowns'>): string {
  if (status === 'FAILED' || failedTeardowns > 0) return 'red'
  return status === 'READY' ? 'green' : 'gray'
}
