import type { Release } from '../deployments/types/release.ts'
import type { Finding } from './findings.ts'

/** Returns a finding for each pause of a release, because each waits for a user. */
export function pausesOf(release: Release): Finding[] {
  const { pauseStages = [] } = 'strategy' in release && 'pauseStages' in release.strategy ? release.strategy : {}
  return pauseStages.map(({ stage, timeoutInMinutes, timeoutAction }) => ({
    severity: 'INFO',
    code: 'RELEASE_PAUSES',
    path: 'deploy.strategy.pause_stages',
    message: `The release pauses at ${stage} until a user continues it, for up to ${timeoutInMinutes} minutes.`,
    remedy: `Continue the pause in time. Otherwise, the release ${timeoutAction === 'ROLLBACK' ? 'is rolled back' : 'continues'}.`,
  }))
}
