import type { Inbox, InboxItem } from '@sluice/contract'

/** What there is to do about something, or what became of it. */
export const askOf = {
  DEPLOYMENT_APPROVAL: 'A release waits for your approval',
  STEP_APPROVAL: 'A step waits for your approval',
  VERSION_APPROVAL: 'Runs of a pipeline wait until you approve its version',
  PAUSE: 'A release is paused until you let it go on',
  HOLD: 'Newer releases are held until somebody lets it go',
  FAILED_DEPLOYMENT: 'A release failed',
  FAILED_RUN: 'A run failed',
} as const satisfies Record<InboxItem['type'], string>

/** More than this is no number that anybody reads. */
const mostShown = 99

/** How much is in it, for a badge; empty where nothing is. */
export function countOf({ waiting, failed }: Pick<Inbox, 'waiting' | 'failed'>): string {
  const count = waiting.length + failed.length
  if (count === 0) return ''
  return count > mostShown ? `${mostShown}+` : String(count)
}
