import type { Inbox, InboxItem } from '@sluice/contract'

/** Describes inbox items by type. */
export const itemLabels = {
  DEPLOYMENT_APPROVAL: 'Release waiting for your approval',
  STEP_APPROVAL: 'Step waiting for your approval',
  VERSION_APPROVAL: 'Pipeline version waiting for your approval',
  PAUSE: 'Release paused until you continue it',
  HOLD: 'Newer releases are held',
  FAILED_DEPLOYMENT: 'Release failed',
  FAILED_RUN: 'Run failed',
} as const satisfies Record<InboxItem['type'], string>

/** Larger counts are shown as 99+. */
const maxShown = 99

/** Returns the badge text; empty without items. */
export function badgeCount({ waiting, failed }: Pick<Inbox, 'waiting' | 'failed'>): string {
  const count = waiting.length + failed.length
  if (count === 0) return ''
  return count > maxShown ? `${maxShown}+` : String(count)
}
