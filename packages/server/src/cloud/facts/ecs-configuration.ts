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

/** VPC Lattice target group of a service, as the cloud returns it. */
export type LatticeGroup = {
  targetGroupArn?: string | undefined
  advancedConfiguration?:
    | { alternateTargetGroupArn?: string | undefined; productionListenerRule?: string | undefined }
    | undefined
}

/** How requests reach the tasks of a service. */
export type ServiceRouting = {
  balancers: readonly Balancer[]
  /** Whether Service Connect or VPC Lattice routes requests to the tasks. */
  isInMesh: boolean
  /** VPC Lattice target groups without what a traffic shift needs. */
  incompleteLatticeGroups?: readonly string[]
  /** Whether clients find the tasks through service discovery (Cloud Map). */
  isDiscovered?: boolean
}

type MeshSettings = {
  serviceConnectConfiguration?: { enabled?: boolean | undefined } | undefined
  vpcLatticeConfigurations?: readonly LatticeGroup[] | undefined
}

/** Returns how Service Connect, VPC Lattice and service discovery route requests. */
export function meshRoutingOf(
  { serviceConnectConfiguration, vpcLatticeConfigurations: groups = [] }: MeshSettings,
  registries: readonly unknown[],
): Omit<ServiceRouting, 'balancers'> {
  const incomplete = groups.filter(({ advancedConfiguration: shift }) => {
    return !shift?.alternateTargetGroupArn || !shift.productionListenerRule
  })
  return {
    isInMesh: serviceConnectConfiguration?.enabled === true || groups.length > 0,
    incompleteLatticeGroups: incomplete.map(({ targetGroupArn }) => targetGroupArn ?? 'a VPC Lattice target group'),
    isDiscovered: registries.length > 0,
  }
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

/** Reason why a service cannot use a strategy, as the end of a sentence, and what to do about it. */
export type ShiftBlocker = { reason: string; remedy: string }

/**
 * Returns why the service cannot use a strategy, or undefined if it can. `isRouted`: something other than these load
 * balancers shifts its traffic.
 */
export function shiftBlocker(
  type: EcsStrategy['type'],
  { balancers, isRouted, ...mesh }: Omit<ServiceRouting, 'isInMesh'> & { isRouted: boolean },
): ShiftBlocker | undefined {
  if (type === 'rolling') return undefined
  const name = type === 'blue_green' ? 'blue/green' : type
  const incomplete = balancers.filter((balancer) => trafficShiftsOf([balancer]).length === 0)
  if (incomplete.length > 0) {
    const groups = incomplete.map(({ targetGroupArn }) => targetGroupArn ?? 'a load balancer').join(', ')
    const reason = `nothing says between what ${name} releases shift the traffic of ${groups}: advancedConfiguration is missing or incomplete`
    return { reason, remedy: configureShift }
  }
  return meshBlocker(name, mesh) ?? (balancers.length > 0 || isRouted ? undefined : unroutedBlocker(name, mesh))
}

const configureShift =
  'Configure it on the service, name its load balancer in deploy.infrastructure, or use another strategy.'

function meshBlocker(
  type: string,
  { incompleteLatticeGroups = [] }: Pick<ServiceRouting, 'incompleteLatticeGroups'>,
): ShiftBlocker | undefined {
  if (incompleteLatticeGroups.length === 0) return undefined
  return {
    reason: `nothing says between what ${type} releases shift the traffic of the VPC Lattice target group ${incompleteLatticeGroups.join(', ')}`,
    remedy:
      'Set alternateTargetGroupArn and productionListenerRule in vpcLatticeConfigurations[].advancedConfiguration of the service, or use the strategy rolling.',
  }
}

function unroutedBlocker(
  type: string,
  { isDiscovered = false }: Pick<ServiceRouting, 'isDiscovered'>,
): ShiftBlocker | undefined {
  if (isDiscovered) {
    return {
      reason: `clients find its tasks through service discovery (serviceRegistries), which sends requests to new tasks as soon as they run, so ${type} releases cannot shift traffic`,
      remedy: 'Use the strategy rolling, or put a load balancer or Service Connect in front of the service.',
    }
  }
  if (type === 'blue/green') return undefined
  const reason = `${type} releases shift traffic in steps, and the service has no load balancer, Service Connect or VPC Lattice`
  return { reason, remedy: configureShift }
}
