import { present } from '../../platform/present.ts'
import type { EcsStrategy, TrafficShift } from './ecs.ts'

/** How a service says that its releases go, as the cloud answers. */
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

/** A load balancer of a service, as the cloud answers. */
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

/** How a release moves traffic, by the configuration of its service. */
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

/** The lifecycle hooks that call something of the account's own. */
export const callingHooksOf = ({ lifecycleHooks = [] }: ServiceConfiguration): string[] =>
  lifecycleHooks.flatMap(({ targetType, hookTargetArn }) => (targetType === 'PAUSE' ? [] : [hookTargetArn ?? 'a hook']))

/** Whether releases that do not come up are turned back by the cloud. */
export const breaksTheCircuit = ({ deploymentCircuitBreaker }: ServiceConfiguration): boolean =>
  deploymentCircuitBreaker?.enable === true && deploymentCircuitBreaker.rollback === true

/** How requests reach the tasks of a service. */
export type ServiceRouting = {
  balancers: readonly Balancer[]
  /** Service Connect or VPC Lattice sends requests to the tasks. */
  isInMesh: boolean
}

/** The pairs of target groups between which the releases of a service shift traffic, one per load balancer. */
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

/** Whether a load balancer belongs to a pair of target groups: they swap roles with every release. */
export const isBalancedBetween = (
  { targetGroupArn, advancedConfiguration }: Balancer,
  shift: Pick<TrafficShift, 'targetGroupArn'>,
): boolean => [targetGroupArn, advancedConfiguration?.alternateTargetGroupArn].includes(shift.targetGroupArn)

/**
 * Why the releases of a service cannot use a strategy, as the end of a sentence; undefined if they can. `isRouted`:
 * something besides these load balancers shifts its traffic.
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
