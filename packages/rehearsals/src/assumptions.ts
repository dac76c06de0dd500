import type { EcsChange, LambdaChange, RehearsalJob } from '@sluice/server/delivery/rehearsals/job'

/** Returns what the rehearsal assumes about the account and the release, as sentences for people. */
export const assumptionsOf = (job: RehearsalJob): string[] => [
  ...job.twin.assumptions,
  ...(job.type === 'cloud:ecs' ? ecsAssumptions(job) : lambdaAssumptions(job)),
  ...(job.release.analysis ? ['Each check of the analysis is assumed to fail only while users see errors.'] : []),
  'A user is assumed to continue each pause after 10 minutes, or halfway to an earlier time-out.',
]

const ecsAssumptions = ({ twin }: EcsChange): string[] => [
  ...twin.missing.map((name) => `${name} does not exist, so no task of the new version starts.`),
  'New tasks are assumed to be healthy 10 seconds after they run, and failing ones to be noticed after 30 seconds.',
  'The application is assumed to work as soon as its tasks are healthy, except where a scenario says otherwise.',
]

const lambdaAssumptions = ({ twin: { code } }: LambdaChange): string[] => [
  ...(code?.rejection === undefined ? [] : [`The function does not accept the code: ${code.rejection}`]),
  'The function is assumed to accept code and to activate a version within seconds.',
  'Calls of the new version are assumed to succeed, except where a scenario says otherwise.',
]
