import type { ImportRemark } from '@sluice/contract'
import type { EcsStrategy, ExistingService, TrafficShift } from '../../cloud/facts/ecs.ts'
import { shiftBlocker } from '../../cloud/facts/ecs-configuration.ts'
import { present } from '../../platform/present.ts'
import { isProbablySecret } from '../deployments/representation/secret-values.ts'
import { withoutCloudDefaults } from './differences.ts'
import { repositoryOf } from './image.ts'

type Json = Record<string, unknown>

/** Parts of a service from which an instance is created: its task definition, and how it is released. */
export type ServiceParts = Pick<ExistingService, 'balancedContainer' | 'strategy' | 'tags' | 'trafficShift'> & {
  definition: Json
}

/**
 * Returns the container that receives the load balancer's traffic, or otherwise the first essential one, and the
 * others.
 */
export function containersOf({
  definition,
  balancedContainer,
}: Pick<ServiceParts, 'balancedContainer' | 'definition'>): {
  app: Json
  others: Json[]
} {
  const all = (definition.containerDefinitions ?? []) as Json[]
  const app = all.find(({ name }) => name === balancedContainer) ?? all.find(({ essential }) => essential !== false)
  const chosen = app ?? all[0] ?? {}
  return { app: chosen, others: all.filter((one) => one !== chosen) }
}

/** Returns the inputs of the container service module, except for the service's location. */
export function inputOfService(parts: ServiceParts): Json {
  const { app, others } = containersOf(parts)
  return {
    ...inputOfContainer(app),
    further_containers: others.flatMap(
      (one) => withoutCloudDefaults({ containerDefinitions: [one] }).containerDefinitions,
    ),
    ...inputOfTask(parts),
    ...inputOfStrategy(parts.strategy, parts.trafficShift),
  }
}

function inputOfContainer(app: Json): Json {
  const [asked = {}] = withoutCloudDefaults({ containerDefinitions: [app] }).containerDefinitions as Json[]
  const {
    name,
    image,
    command,
    entryPoint,
    environment,
    secrets,
    portMappings,
    logConfiguration,
    healthCheck,
    ...rest
  } = asked as Record<string, unknown> & { environment?: Variable[]; secrets?: Secret[] }
  return present({
    container_name: name,
    image_repository: repositoryOf(String(image ?? '')),
    command,
    entry_point: entryPoint,
    environment_variables: environment && Object.fromEntries(environment.map(({ name, value = '' }) => [name, value])),
    secrets: secrets?.map(({ name, valueFrom }) => ({ name, value_from: valueFrom })),
    port_mappings: portMappings,
    log_configuration: logConfiguration,
    health_check: healthCheck,
    container_settings: rest,
  })
}

type Variable = { name: string; value?: string }
type Secret = { name: string; valueFrom: string }

function inputOfTask({ definition, tags }: ServiceParts): Json {
  const { family, cpu, memory, executionRoleArn, taskRoleArn, networkMode, requiresCompatibilities, ...more } =
    withoutCloudDefaults(definition)
  const { containerDefinitions: _, ...rest } = more
  // Sluice adds its own tags to every revision, and nobody can set the cloud's own.
  const kept = tags.filter(({ key }) => !/^(sluice|aws):/.test(key))
  return present({
    family,
    cpu,
    memory,
    execution_role_arn: executionRoleArn,
    task_role_arn: taskRoleArn,
    network_mode: networkMode,
    requires_compatibilities: requiresCompatibilities,
    task_settings: kept.length === 0 ? rest : { ...rest, tags: kept },
  })
}

function inputOfStrategy(strategy: EcsStrategy, shift: TrafficShift | undefined): Json {
  const between = shift && {
    target_group_arn: shift.targetGroupArn,
    alternate_target_group_arn: shift.alternateTargetGroupArn,
    production_listener_rule_arn: shift.productionListenerRuleArn,
    ...present({ test_listener_rule_arn: shift.testListenerRuleArn }),
    infrastructure_role_arn: shift.infrastructureRoleArn,
  }
  if (strategy.type === 'rolling') return { strategy: 'rolling', ...between }
  const { type, bakeTimeInMinutes, linear, canary, pauseStages } = strategy
  return {
    strategy: type,
    bake_time_in_minutes: bakeTimeInMinutes,
    ...(linear && {
      step_percentage: linear.stepPercent,
      step_bake_time_in_minutes: linear.stepBakeTimeInMinutes,
    }),
    ...(canary && {
      canary_percent: canary.canaryPercent,
      canary_bake_time_in_minutes: canary.canaryBakeTimeInMinutes,
    }),
    pause_stages: pauseStages.map(({ stage, timeoutInMinutes, timeoutAction }) => ({
      stage,
      timeout_in_minutes: timeoutInMinutes,
      timeout_action: timeoutAction,
    })),
    ...between,
  }
}

/** Returns why releases of a service are not supported. */
export function blockersIn({
  controller,
  strategy,
  routing,
}: Pick<ExistingService, 'controller' | 'strategy' | 'routing'>): string[] {
  if (controller !== 'ECS') {
    return [`deploymentController: ${controller} executes its releases; only those of the service itself are supported`]
  }
  const blocker = shiftBlocker(strategy.type, { ...routing, isRouted: routing.isInMesh })
  return blocker === undefined ? [] : [`loadBalancers: ${blocker.reason}`]
}

/** Returns how releases by Sluice would differ from those of the service until now. */
export const configurationRemarks = ({
  callingHooks,
  hasBreaker,
}: Pick<ExistingService, 'callingHooks' | 'hasBreaker'>): ImportRemark[] => [
  ...callingHooks.map((hook) => ({
    subject: `lifecycleHooks: ${hook}`,
    message: 'It is not taken over: releases from here replace the hooks of the service, and it would not be called.',
  })),
  ...(hasBreaker
    ? []
    : [
        {
          subject: 'deploymentCircuitBreaker',
          message: 'It is off, or does not roll back. Releases from here turn it on, with rollback.',
        },
      ]),
]

/** Returns remarks about values that probably are secrets and would be readable. */
export const secretRemarks = (app: Json): ImportRemark[] =>
  ((app.environment ?? []) as Variable[])
    .filter(({ name, value = '' }) => value !== '' && isProbablySecret(name, value))
    .map(({ name }) => ({
      subject: `environment: ${name}`,
      message:
        'It looks like a secret, and would be visible to all users who can see the instance. Store it in a secret ' +
        'store, and take it from there by `secrets`.',
    }))
