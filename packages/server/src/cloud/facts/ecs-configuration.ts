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

/** Between what its releases shift traffic, by the load balancers of a service. */
export function trafficShiftOf(loadBalancers: readonly Balancer[] = []): TrafficShift | undefined {
  const balancer = loadBalancers.find(({ advancedConfiguration }) => advancedConfiguration !== undefined)
  const { alternateTargetGroupArn, productionListenerRule, testListenerRule, roleArn } =
    balancer?.advancedConfiguration ?? {}
  const { targetGroupArn } = balancer ?? {}
  if (!targetGroupArn || !alternateTargetGroupArn || !productionListenerRule || !roleArn) return undefined
  return {
    targetGroupArn,
    alternateTargetGroupArn,
    productionListenerRuleArn: productionListenerRule,
    infrastructureRoleArn: roleArn,
    ...present({ testListenerRuleArn: testListenerRule }),
  }
}
