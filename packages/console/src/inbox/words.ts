import type { Inbox, InboxItem } from '@sluice/contract'

/** What there is to do about something, or what became of it. */
export const askOf = {
  DEPLOYMENT_APPROVAL: 'Release waiting for your approval',
  STEP_APPROVAL: 'Step waiting for your approval',
  VERSION_APPROVAL: 'Pipeline version waiting for your approval',
  PAUSE: 'Release paused until you continue it',
  HOLD: 'Newer releases are held',
  FAILED_DEPLOYMENT: 'Release failed',
  FAILED_RUN: 'Run failed',
} as const satisfies Record<InboxItem['type'], string>

/** More than this is no number that anybody reads. */
const mostShown = 99

/** How much is in it, for a badge; empty where nothing is. */
export function countOf({ waiting, failed }: Pick<Inbox, 'waiting' | 'failed'>): string {
  const count = waiting.length + failed.length
  if (count === 0) return ''
  return count > mostShown ? `${mostShown}+` : String(count)
}
