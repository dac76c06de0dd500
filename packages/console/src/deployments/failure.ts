import type { Deployment, DeploymentEvent, UserFacingError } from '@sluice/contract'
import { previousMarksOf, versionOf } from '@sluice/contract/release-version'
import { eventsOf } from '@sluice/contract/stages'

type Detail = NonNullable<UserFacingError['details']>[number]

/** Parts of a failure, most important first. */
export type Failure = {
  /** Cause and consequence for users. */
  headline: string
  /** Full error message, if the headline is shorter. */
  message?: string
  /** Last log lines of the program. */
  lastLines: readonly string[]
  /** Container that wrote the last lines. */
  container?: string
  /** Other details of the error. */
  rest: readonly Detail[]
}

/** Title that the server uses. Importing it from the contract would load all schemas on the first page. */
const lastLinesTitle = 'Its last lines'

/** Describes a failed deployment. `service` is the display name. */
export function describeFailure(deployment: Deployment, error: UserFacingError, service: string): Failure {
  const { message, details = [], metadata = {} } = error
  const { cause, container } = metadata
  const why = typeof cause === 'string' ? cause : message.replace(/\.$/, '')
  const consequence = describeConsequence(deployment, service)
  return {
    headline: consequence === undefined ? why : `${why}; ${consequence}`,
    ...(why !== message && typeof cause === 'string' && { message }),
    ...(typeof container === 'string' && { container }),
    lastLines: details.find(({ title }) => title === lastLinesTitle)?.items ?? [],
    rest: details.filter(({ title }) => title !== lastLinesTitle),
  }
}

/** Steps that start to change what is running. */
const changingSteps: readonly DeploymentEvent['stepCode'][] = [
  'UPDATE_SERVICE',
  'UPDATE_INSTANCES',
  'PRODUCTION_TRAFFIC_SHIFT',
  'PROMOTE',
]

/** Returns which version serves users; undefined if that is uncertain or the error already says it. */
function describeConsequence(deployment: Deployment, service: string): string | undefined {
  const before = versionOf(previousMarksOf(deployment.data))
  const old = before === undefined ? `the previous version of ${service}` : `${service} ${before}`
  if (deployment.status === 'ROLLED_BACK') return `${old} serves all traffic`
  if (deployment.status === 'ROLLING_BACK') return `${old} is taking over again`
  const hasChanged = eventsOf(deployment).some(({ stepCode }) => changingSteps.includes(stepCode))
  return deployment.status === 'ERROR' && !hasChanged ? `nothing was changed` : undefined
}
