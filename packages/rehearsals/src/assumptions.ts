import { scenariosOfType } from '@sluice/contract/rehearsal-scenarios'
import { documentNameOf } from '@sluice/server/delivery/deployments/types/ec2/release'
import type {
  Ec2Change,
  EcsChange,
  LambdaChange,
  RehearsalJob,
  StaticChange,
} from '@sluice/server/delivery/rehearsals/job'

/** Returns what the rehearsal assumes about the account and the release, as sentences for people. */
export const assumptionsOf = (job: RehearsalJob): string[] => [
  ...job.twin.assumptions,
  ...assumptionsOfType(job),
  ...(job.release.analysis
    ? [
        'Each check of the analysis is assumed to fail only while users see errors, and metrics to arrive without delay.',
      ]
    : []),
  ...(canPause(job)
    ? ['A user is assumed to continue each pause after 10 minutes, or halfway to an earlier time-out.']
    : []),
]

const canPause = ({ type }: RehearsalJob): boolean =>
  scenariosOfType[type].some((scenario) => scenario === 'PAUSE_TIMES_OUT')

function assumptionsOfType(job: RehearsalJob): string[] {
  switch (job.type) {
    case 'cloud:ecs':
      return ecsAssumptions(job)
    case 'cloud:ec2':
      return ec2Assumptions(job)
    case 'cloud:lambda':
      return lambdaAssumptions(job)
    case 'cloud:static':
      return staticAssumptions(job)
  }
}

const ec2Assumptions = ({ release }: Ec2Change): string[] => [
  ...('source' in release.definition && release.definition.source
    ? ['The instances are assumed to be able to read the repository.']
    : []),
  `The command document ${documentNameOf(release)} is assumed to accept the release and to fail if the application does not start.`,
  'The instances are assumed to share the traffic evenly, and to serve the old version until the new one is installed.',
]

const ecsAssumptions = ({ twin }: EcsChange): string[] => [
  ...[...twin.missing.images, ...twin.missing.logGroups].map(
    (name) => `${name} does not exist, so no task of the new version starts.`,
  ),
  'New tasks are assumed to be healthy 10 seconds after they run, and failing ones to be noticed after 30 seconds.',
  'The application is assumed to work as soon as its tasks are healthy, except where a scenario says otherwise.',
]

const lambdaAssumptions = ({ release, twin: { alias, code } }: LambdaChange): string[] => [
  ...(code === undefined
    ? ['The version exists and is not published again, so scenarios in which its code fails change nothing.']
    : []),
  ...(code?.rejection ? [`The function does not accept the code: ${code.rejection.message}`] : []),
  ...(alias.FunctionVersion === '$LATEST'
    ? ['The alias is at $LATEST: its callers get the new code before the release publishes a version.']
    : []),
  ...(release.keepReleases === undefined ? [] : ['No older version is assumed to be deleted after the release.']),
  'The function is assumed to accept code and to activate a version within seconds.',
  'Calls of the new version are assumed to succeed, except where a scenario says otherwise.',
]

const staticAssumptions = ({ release }: StaticChange): string[] => [
  'The files are assumed to work, except where a scenario says otherwise.',
  'All users are assumed to get the files of the new directory at once. Caches can serve old ones until they expire or are invalidated.',
  ...(release.invalidationPaths.length > 0
    ? ['CloudFront is assumed to invalidate its caches within 20 seconds.']
    : []),
]
