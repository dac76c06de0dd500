import type { Deployment, DeploymentEvent, UserFacingError } from '@sluice/contract'
import { previousMarksOf, versionOf } from '@sluice/contract/release-version'
import { eventsOf } from '@sluice/contract/stages'

type Detail = NonNullable<UserFacingError['details']>[number]

/** A failure, in the order in which people need to know of it. */
export type Failure = {
  /** Why, and what that means for users. */
  headline: string
  /** The service's whole sentence, where the headline is shorter than that. */
  message?: string
  /** What the program wrote last. */
  lastLines: readonly string[]
  /** Of which container that is. */
  container?: string
  /** All else that was found out. */
  rest: readonly Detail[]
}

/** As the contract calls it; a value of the contract would bring all of its schemas to the first page. */
const lastLinesTitle = 'Its last lines'

/** What is to be told of a deployment that failed; `service` is what people call it. */
export function failureOf(deployment: Deployment, error: UserFacingError, service: string): Failure {
  const { message, details = [], metadata = {} } = error
  const { cause, container } = metadata
  const why = typeof cause === 'string' ? cause : message.replace(/\.$/, '')
  const consequence = consequenceOf(deployment, service)
  return {
    headline: consequence === undefined ? why : `${why}; ${consequence}`,
    ...(why !== message && typeof cause === 'string' && { message }),
    ...(typeof container === 'string' && { container }),
    lastLines: details.find(({ title }) => title === lastLinesTitle)?.items ?? [],
    rest: details.filter(({ title }) => title !== lastLinesTitle),
  }
}

/** Steps with which a release begins to change what runs. */
const changing: readonly DeploymentEvent['stepCode'][] = [
  'UPDATE_SERVICE',
  'UPDATE_INSTANCES',
  'PRODUCTION_TRAFFIC_SHIFT',
  'PROMOTE',
]

/** Which version users have now; undefined where that is not certain, or the error says it. */
function consequenceOf(deployment: Deployment, service: string): string | undefined {
  const before = versionOf(previousMarksOf(deployment.data))
  const old = before === undefined ? `the previous version of ${service}` : `${service} ${before}`
  if (deployment.status === 'ROLLED_BACK') return `${old} serves all traffic`
  if (deployment.status === 'ROLLING_BACK') return `${old} is taking over again`
  const hasChanged = eventsOf(deployment).some(({ stepCode }) => changing.includes(stepCode))
  return deployment.status === 'ERROR' && !hasChanged ? `nothing was changed` : undefined
}
