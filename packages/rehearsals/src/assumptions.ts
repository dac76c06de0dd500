import type { RehearsalJob } from '@sluice/server/delivery/rehearsals/job'

/** Returns what the rehearsal assumes about the account and the release, as sentences for people. */
export function assumptionsOf({ twin, release }: RehearsalJob): string[] {
  const { missing, assumptions } = twin
  return [
    ...assumptions,
    ...missing.map((name) => `${name} does not exist, so no task of the new version starts.`),
    ...(release.analysis ? ['The analysis checks of the release are assumed to succeed.'] : []),
    'New tasks are assumed to be healthy 10 seconds after they run, and failing ones to be noticed after 30 seconds.',
    'The application is assumed to work as soon as its tasks are healthy, except where a scenario says otherwise.',
    'A user is assumed to continue each pause after 10 minutes, or halfway to an earlier time-out.',
  ]
}
