import type { PreviewEnding, PreviewEnvironment, PreviewStatus } from '@sluice/contract'

/** Labels of preview environment statuses. */
export const statusLabels = {
  WAITING: 'Queued',
  CREATING: 'Creating',
  READY: 'Ready',
  FAILED: 'Failed',
  DESTROYING: 'Tearing down',
  DESTROYED: 'Deleted',
} as const satisfies Record<PreviewStatus, string>

/** Labels of the reasons for a teardown. */
export const endReasonLabels = {
  CLOSED: 'Pull request closed',
  EXPIRED: 'Expired',
  ENDED: 'Deleted manually',
} as const satisfies Record<PreviewEnding, string>

export function statusColor({
  status,
  failedTeardowns,
}: Pick<PreviewEnvironment, 'status' | 'failedTeardowns'>): string {
  if (status === 'FAILED' || failedTeardowns > 0) return 'red'
  return status === 'READY' ? 'green' : 'gray'
}
