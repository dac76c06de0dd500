import { failures, type UserFacingError } from '@sluice/contract'
import type { ServiceFacts, TrafficShift } from '../../../cloud/facts/ecs.ts'
import {
  type Balancer,
  isBalancedBetween,
  shiftObstacle,
  trafficShiftsOf,
} from '../../../cloud/facts/ecs-configuration.ts'
import type { EcsRelease } from './release.ts'

/** The pairs of target groups between which the release shifts traffic: the block's, and those of the service. */
export function pairsOfRelease({ strategy, trafficShift }: EcsRelease, { routing }: ServiceFacts): TrafficShift[] {
  if (strategy.type === 'rolling') return []
  const { balancers = [] } = routing ?? {}
  const ownPairs = trafficShiftsOf(furtherBalancers(balancers, trafficShift))
  return trafficShift ? [trafficShift, ...ownPairs] : ownPairs
}

/** The load balancers of the service but the one that the block names, which is configured with the release. */
const furtherBalancers = (balancers: readonly Balancer[], named: TrafficShift | undefined): Balancer[] =>
  balancers.filter((balancer) => !named || !isBalancedBetween(balancer, named))

/** Why the service does not support the release; undefined if it does. Nothing was changed yet. */
export function unsupportedService(
  { strategy, trafficShift }: EcsRelease,
  found: ServiceFacts,
): UserFacingError | undefined {
  const { controller = 'ECS', schedulingStrategy, routing } = found
  if (controller !== 'ECS') {
    return notSupported(
      `its deployment controller is ${controller}`,
      `Release it with ${controller}, or change its deploymentController to ECS.`,
      'deploymentController',
    )
  }
  if (schedulingStrategy === 'DAEMON' && strategy.type !== 'rolling') {
    return notSupported(
      `it is a daemon, of which no second set of tasks can run for a ${strategy.type} release`,
      'Use the strategy rolling.',
      'deploy.strategy.type',
    )
  }
  const balancers = furtherBalancers(routing?.balancers ?? [], trafficShift)
  const isRouted = trafficShift !== undefined || (routing?.isInMesh ?? true)
  const obstacle = shiftObstacle(strategy.type, { balancers, isRouted })
  return obstacle === undefined
    ? undefined
    : notSupported(
        obstacle,
        'Configure it on the service, name its load balancer in deploy.infrastructure, or use another strategy.',
        'deploy.strategy.type',
      )
}

const notSupported = (reason: string, remedy: string, path: string): UserFacingError => ({
  code: failures.serviceNotSupported.code,
  message: `Cannot release to the service: ${reason}.`,
  description: `${remedy} The service was not changed.`,
  metadata: { path },
})
