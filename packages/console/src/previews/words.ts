import type { PreviewEnding, PreviewEnvironment, PreviewStatus } from '@sluice/contract'

/** Where a preview environment stands, as people read it. */
export const words = {
  WAITING: 'Queued',
  CREATING: 'Creating',
  READY: 'Ready',
  FAILED: 'Failed',
  TEARING_DOWN: 'Tearing down',
  GONE: 'Deleted',
} as const satisfies Record<PreviewStatus, string>

/** Why one is torn down. */
export const whyOver = {
  CLOSED: 'Pull request closed',
  EXPIRED: 'Expired',
  ENDED: 'Deleted manually',
} as const satisfies Record<PreviewEnding, string>

export function colorOf({ status, failedTeardowns }: Pick<PreviewEnvironment, 'status' | 'failedTeardowns'>): string {
  if (status === 'FAILED' || failedTeardowns > 0) return 'red'
  return status === 'READY' ? 'green' : 'gray'
}
