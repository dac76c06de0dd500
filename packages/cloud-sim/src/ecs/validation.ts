import type { DeploymentConfiguration, DeploymentLifecycleHook } from '@aws-sdk/client-ecs'
import type { Scope } from '../arns.ts'
import { invalidParameter } from '../errors.ts'
import { hasAlarm } from '../monitoring/alarms.ts'
import type { World } from '../world.ts'
import type { ServiceSettings } from './service-records.ts'
import { functionStages, pauseStages } from './stages.ts'

const strategies = ['ROLLING', 'BLUE_GREEN', 'LINEAR', 'CANARY']
const dayMinutes = 1440
const maxPauseMinutes = 20_160
/** Maximum number of hooks per service and type. */
const maxHooks = 10

const isBetween = (value: number, from: number, to: number) => value >= from && value <= to
const isTenth = (value: number) => Math.abs(value * 10 - Math.round(value * 10)) < 1e-9

/** Returns a deployment configuration with defaults, which differ for daemons. */
export const withDefaults = (
  configuration: DeploymentConfiguration | undefined,
  { schedulingStrategy }: Pick<ServiceSettings, 'schedulingStrategy'>,
): DeploymentConfiguration => ({
  strategy: 'ROLLING',
  deploymentCircuitBreaker: { enable: false, rollback: false },
  ...(schedulingStrategy === 'DAEMON'
    ? { maximumPercent: 100, minimumHealthyPercent: 0 }
    : { maximumPercent: 200, minimumHealthyPercent: 100 }),
  ...configuration,
})

/** Validates a deployment configuration like ECS. */
export function checkDeploymentConfiguration(world: World, scope: Scope, configuration: DeploymentConfiguration): void {
  checkStrategy(configuration)
  checkHooks(configuration)
  checkAlarms(world, scope, configuration)
}

function checkStrategy(configuration: DeploymentConfiguration): void {
  const { strategy = 'ROLLING', bakeTimeInMinutes, linearConfiguration, canaryConfiguration } = configuration
  if (!strategies.includes(strategy)) {
    throw invalidParameter(`Invalid deployment strategy: ${strategy}. Valid values are ${strategies.join(', ')}.`)
  }
  checkPercents(configuration)
  if (strategy === 'BLUE_GREEN' && bakeTimeInMinutes === undefined) {
    throw invalidParameter('bakeTimeInMinutes is required for the BLUE_GREEN deployment strategy.')
  }
  checkMinutes('bakeTimeInMinutes', bakeTimeInMinutes)
  if (linearConfiguration && strategy !== 'LINEAR') {
    throw invalidParameter('linearConfiguration is only valid with the LINEAR deployment strategy.')
  }
  if (canaryConfiguration && strategy !== 'CANARY') {
    throw invalidParameter('canaryConfiguration is only valid with the CANARY deployment strategy.')
  }
  const { stepPercent = 10, stepBakeTimeInMinutes } = linearConfiguration ?? {}
  if (!isBetween(stepPercent, 3, 100) || !isTenth(stepPercent)) {
    throw invalidParameter('stepPercent must be a multiple of 0.1 between 3.0 and 100.0.')
  }
  checkMinutes('stepBakeTimeInMinutes', stepBakeTimeInMinutes)
  const { canaryPercent = 5, canaryBakeTimeInMinutes } = canaryConfiguration ?? {}
  if (!isBetween(canaryPercent, 0.1, 100) || !isTenth(canaryPercent)) {
    throw invalidParameter('canaryPercent must be a multiple of 0.1 between 0.1 and 100.0.')
  }
  checkMinutes('canaryBakeTimeInMinutes', canaryBakeTimeInMinutes)
}

function checkPercents({ minimumHealthyPercent = 100, maximumPercent = 200 }: DeploymentConfiguration): void {
  if (!Number.isInteger(minimumHealthyPercent) || minimumHealthyPercent < 0) {
    throw invalidParameter('minimumHealthyPercent must be an integer of at least 0.')
  }
  if (!Number.isInteger(maximumPercent) || maximumPercent < 100) {
    throw invalidParameter('maximumPercent must be an integer of at least 100.')
  }
  if (minimumHealthyPercent > maximumPercent) {
    throw invalidParameter('minimumHealthyPercent must not be more than maximumPercent.')
  }
}

function checkMinutes(name: string, minutes: number | undefined): void {
  if (minutes === undefined || (Number.isInteger(minutes) && isBetween(minutes, 0, dayMinutes))) return
  throw invalidParameter(`${name} must be an integer between 0 and ${dayMinutes}.`)
}

function checkHooks({ strategy = 'ROLLING', lifecycleHooks = [] }: DeploymentConfiguration): void {
  if (lifecycleHooks.length > 0 && strategy === 'ROLLING') {
    throw invalidParameter('Lifecycle hooks are not supported with the ROLLING deployment strategy.')
  }
  for (const hook of lifecycleHooks) checkHook(hook)
  const pauses = lifecycleHooks.filter(({ targetType }) => targetType === 'PAUSE').length
  if (pauses > maxHooks || lifecycleHooks.length - pauses > maxHooks) {
    throw invalidParameter(`A service can have at most ${maxHooks} lifecycle hooks of each target type.`)
  }
}

/** Checks that the configured alarms exist. */
function checkAlarms(world: World, scope: Scope, { alarms }: DeploymentConfiguration): void {
  if (!alarms?.enable) return
  const missing = (alarms.alarmNames ?? []).filter((name) => !hasAlarm(world, scope, name))
  if (missing.length > 0) throw invalidParameter(`The following alarms do not exist: ${missing.join(', ')}.`)
}

function checkHook(hook: DeploymentLifecycleHook): void {
  const { targetType = 'AWS_LAMBDA', lifecycleStages = [], hookTargetArn, roleArn, timeoutConfiguration } = hook
  if (targetType !== 'PAUSE' && targetType !== 'AWS_LAMBDA') {
    throw invalidParameter(`Invalid lifecycle hook target type: ${String(targetType)}.`)
  }
  const isPause = targetType === 'PAUSE'
  if (lifecycleStages.length === 0) throw invalidParameter('lifecycleStages is required for a lifecycle hook.')
  for (const stage of lifecycleStages) {
    if ((isPause ? pauseStages : functionStages).includes(stage)) continue
    throw invalidParameter(`The lifecycle stage ${stage} is not supported for ${targetType} lifecycle hooks.`)
  }
  if (isPause && (hookTargetArn || roleArn)) {
    throw invalidParameter('hookTargetArn and roleArn are not supported for PAUSE lifecycle hooks.')
  }
  if (!isPause && (!hookTargetArn || !roleArn)) {
    throw invalidParameter('hookTargetArn and roleArn are required for AWS_LAMBDA lifecycle hooks.')
  }
  const { timeoutInMinutes = dayMinutes, action = 'ROLLBACK' } = timeoutConfiguration ?? {}
  const longest = isPause ? maxPauseMinutes : dayMinutes
  if (!Number.isInteger(timeoutInMinutes) || !isBetween(timeoutInMinutes, 1, longest)) {
    throw invalidParameter(`timeoutInMinutes must be an integer between 1 and ${longest}.`)
  }
  if (action !== 'ROLLBACK' && action !== 'CONTINUE')
    throw invalidParameter(`Invalid timeout action: ${String(action)}.`)
}
