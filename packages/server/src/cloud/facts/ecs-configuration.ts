import { present } from '../../platform/present.ts'
import type { EcsStrategy, TrafficShift } from './ecs.ts'

/** Deployment configuration of a service, as the cloud returns it. */
export type ServiceConfiguration = {
  strategy?: string | undefined
  bakeTimeInMinutes?: number | undefined
  linearConfiguration?: { stepPercent?: number | undefined; stepBakeTimeInMinutes?: number | undefined } | undefined
  canaryConfiguration?: { canaryPercent?: number | undefined; canaryBakeTimeInMinutes?: number | undefined } | undefined
  lifecycleHooks?: readonly Hook[] | undefined
  deploymentCircuitBreaker?: { enable?: boolean | undefined; rollback?: boolean | undefined } | undefined
}

type Hook = {
  targetType?: string | undefined
  hookTargetArn?: string | undefined
  lifecycleStages?: readonly string[] | undefined
  timeoutConfiguration?: { timeoutInMinutes?: number | undefined; action?: string | undefined } | undefined
}

/** Load balancer of a service, as the cloud returns it. */
export type Balancer = {
  targetGroupArn?: string | undefined
  advancedConfiguration?:
    | {
        alternateTargetGroupArn?: string | undefined
        productionListenerRule?: string | undefined
        testListenerRule?: string | undefined
        roleArn?: string | undefined
      }
    | undefined
}

const types: Record<string, Exclude<EcsStrategy['type'], 'rolling'>> = {
  BLUE_GREEN: 'blue_green',
  LINEAR: 'linear',
  CANARY: 'canary',
}

/** Returns the deployment strategy from a service's configuration. */
export function strategyOf(configuration: ServiceConfiguration): EcsStrategy {
  const { strategy = 'ROLLING', bakeTimeInMinutes = 0, linearConfiguration, canaryConfiguration } = configuration
  const type = types[strategy]
  if (type === undefined) return { type: 'rolling' }
  const { stepPercent = 10, stepBakeTimeInMinutes = 0 } = linearConfiguration ?? {}
  const { canaryPercent = 5, canaryBakeTimeInMinutes = 0 } = canaryConfiguration ?? {}
  return {
    type,
    bakeTimeInMinutes,
    ...(linearConfiguration && { linear: { stepPercent, stepBakeTimeInMinutes } }),
    ...(canaryConfiguration && { canary: { canaryPercent, canaryBakeTimeInMinutes } }),
    pauseStages: pauseStagesOf(configuration),
  }
}

const pauseStagesOf = ({ lifecycleHooks = [] }: ServiceConfiguration) =>
  lifecycleHooks.flatMap(({ targetType, lifecycleStages = [], timeoutConfiguration }) => {
    if (targetType !== 'PAUSE') return []
    const { timeoutInMinutes = 1_440, action } = timeoutConfiguration ?? {}
    const timeoutAction: 'ROLLBACK' | 'CONTINUE' = action === 'CONTINUE' ? 'CONTINUE' : 'ROLLBACK'
    return lifecycleStages.map((stage) => ({ stage, timeoutInMinutes, timeoutAction }))
  })

/** Returns the lifecycle hooks that call resources of the account, such as Lambda functions. */
export const callingHooksOf = ({ lifecycleHooks = [] }: ServiceConfiguration): string[] =>
  lifecycleHooks.flatMap(({ targetType, hookTargetArn }) => (targetType === 'PAUSE' ? [] : [hookTargetArn ?? 'a hook']))

/** Reports whether the circuit breaker rolls back releases that fail to start. */
export const hasRollbackBreaker = ({ deploymentCircuitBreaker }: ServiceConfiguration): boolean =>
  deploymentCircuitBreaker?.enable === true && deploymentCircuitBreaker.rollback === true

/** How requests reach the tasks of a service. */
export type ServiceRouting = {
  balancers: readonly Balancer[]
  /** Whether Service Connect or VPC Lattice routes requests to the tasks. */
  isInMesh: boolean
}

/** Returns the pairs of target groups between which the service shifts traffic, one per load balancer. */
export const trafficShiftsOf = (balancers: readonly Balancer[]): TrafficShift[] =>
  balancers.flatMap(({ targetGroupArn, advancedConfiguration = {} }) => {
    const { alternateTargetGroupArn, productionListenerRule, testListenerRule, roleArn } = advancedConfiguration
    if (!targetGroupArn || !alternateTargetGroupArn || !productionListenerRule || !roleArn) return []
    return {
      targetGroupArn,
      alternateTargetGroupArn,
      productionListenerRuleArn: productionListenerRule,
      infrastructureRoleArn: roleArn,
      ...present({ testListenerRuleArn: testListenerRule }),
    }
  })

/** Reports whether a load balancer uses this pair of target groups. The two swap roles with every release. */
export const isBalancedBetween = (
  { targetGroupArn, advancedConfiguration }: Balancer,
  shift: Pick<TrafficShift, 'targetGroupArn'>,
): boolean => [targetGroupArn, advancedConfiguration?.alternateTargetGroupArn].includes(shift.targetGroupArn)

/**
 * Returns why the service cannot use a strategy, as the end of a sentence, or undefined if it can. `isRouted`:
 * something other than these load balancers shifts its traffic.
 */
export function shiftBlocker(
  type: EcsStrategy['type'],
  { balancers, isRouted }: { balancers: readonly Balancer[]; isRouted: boolean },
): string | undefined {
  if (type === 'rolling') return undefined
  const incomplete = balancers.filter((balancer) => trafficShiftsOf([balancer]).length === 0)
  if (incomplete.length > 0) {
    const groups = incomplete.map(({ targetGroupArn }) => targetGroupArn ?? 'a load balancer').join(', ')
    return `nothing says between what ${type} releases shift the traffic of ${groups}: advancedConfiguration is missing or incomplete`
  }
  if (type === 'blue_green' || balancers.length > 0 || isRouted) return undefined
  return `${type} releases shift traffic in steps, and the service has no load balancer, Service Connect or VPC Lattice`
}
