import { type ImportRemark, versionOf } from '@sluice/contract'
import { readStandingService } from '../../cloud/adapter/ecs-importable.ts'
import type { EcsStrategy, StandingService, TrafficShift } from '../../cloud/facts/ecs.ts'
import { present } from '../../platform/present.ts'
import type { Release } from '../deployments/release.ts'
import { askedFor, differencesBetween } from './differences.ts'
import type { Found, Obstacles, ReadParts } from './found.ts'
import { referenceIn, repositoryOf } from './image.ts'
import { importedContainerService } from './modules/container-service.ts'

type Json = Record<string, unknown>

/** Reads a container service: three questions, and nothing is changed. */
export async function readContainerService({ clients, cloudAccountId, place }: ReadParts): Promise<Found | Obstacles> {
  const clusterArn = place.arn.replace(/:service\/([^/]+)\/.*$/, ':cluster/$1')
  const service = await readStandingService(clients.ecs, { clusterArn, serviceArn: place.arn })
  const obstacles = obstaclesOf(service)
  if (obstacles.length > 0) return { obstacles }
  return foundService(service, { cloud_account_id: cloudAccountId, cloud_region: place.region })
}

function obstaclesOf({ controller, isSettled, primary, strategy, trafficShift }: StandingService): string[] {
  if (controller !== 'ECS') {
    return [`deploymentController: ${controller} carries out its releases; only those of the service itself are known`]
  }
  if (!primary) return ['deployments: nothing was ever released to it']
  if (!isSettled)
    return ['deployments: a release is under way, or its last one failed; import it once one has succeeded']
  if (strategy.type !== 'rolling' && !trafficShift) {
    return [`loadBalancers: nothing says between what ${strategy.type} releases shift traffic`]
  }
  return []
}

type Place = { cloud_account_id: string; cloud_region: string }

/** A service as an instance of its module. */
export function foundService(service: StandingService, place: Place): Found {
  const { taskDefinition, primary, since, serviceDeploymentArn } = service
  const { app, others } = containersOf(service)
  const image = String(app.image ?? '')
  const { family, revision } = taskDefinition.definition
  return {
    module: importedContainerService,
    resourceArn: service.serviceArn,
    input: {
      ...place,
      ...{ cluster_arn: service.clusterArn, service_arn: service.serviceArn },
      ...inputOfContainer(app),
      further_containers: others.flatMap((one) => askedFor({ containerDefinitions: [one] }).containerDefinitions),
      ...inputOfTask(service),
      ...inputOfStrategy(service.strategy, service.trafficShift),
    },
    deployInputs: { image_ref: image.includes('/') ? image : referenceIn(image) },
    running: present({ version: versionOf({ image }), what: `${family}:${revision}`, since }),
    remarks: remarksOf(service, app),
    recorded: (next) => ({
      ended: {
        release: reusing(next, taskDefinition.arn),
        data: present({
          // The app first, as everywhere: by it a release is called.
          deployedTaskDefinition: {
            ...taskDefinition,
            definition: { ...taskDefinition.definition, containerDefinitions: [app, ...others] },
          },
          serviceDeploymentArn,
        }),
        ...present({ externalDeploymentId: primary?.id }),
        message: `${family}:${revision} ran already when the service was imported.`,
      },
      remarks: changesOf(next, taskDefinition.definition),
    }),
  }
}

/** The container that the load balancer sends to, or else the first one that the task cannot do without. */
function containersOf({ taskDefinition, balancedContainer }: StandingService): { app: Json; others: Json[] } {
  const all = (taskDefinition.definition.containerDefinitions ?? []) as Json[]
  const app = all.find(({ name }) => name === balancedContainer) ?? all.find(({ essential }) => essential !== false)
  const chosen = app ?? all[0] ?? {}
  return { app: chosen, others: all.filter((one) => one !== chosen) }
}

function inputOfContainer(app: Json): Json {
  const [asked = {}] = askedFor({ containerDefinitions: [app] }).containerDefinitions as Json[]
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

function inputOfTask({ taskDefinition, tags }: StandingService): Json {
  const { family, cpu, memory, executionRoleArn, taskRoleArn, networkMode, requiresCompatibilities, ...more } =
    askedFor(taskDefinition.definition)
  const { containerDefinitions: _, ...rest } = more
  // Ours are given anew to every revision, and the cloud's own nobody may give.
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

/** The very task definition that runs: a rollback returns to it and registers nothing. */
function reusing(next: Release | undefined, arn: string): Release {
  if (next?.type !== 'cloud:ecs') throw new Error(`a container service is not released as ${next?.type}`)
  return { ...next, taskDefinition: { reuse: { arn } } }
}

/** What the next release would register other than it is, the image aside. */
function changesOf(next: Release | undefined, runs: Json): ImportRemark[] {
  if (next?.type !== 'cloud:ecs' || !('register' in next.taskDefinition)) return []
  return differencesBetween(runs, next.taskDefinition.register).map((path) => ({
    subject: path,
    message: 'The next release registers it otherwise than it is now.',
  }))
}

function remarksOf({ callingHooks, hasBreaker, taskDefinition }: StandingService, app: Json): ImportRemark[] {
  const { status } = taskDefinition.definition
  const variables = (app.environment ?? []) as Variable[]
  return [
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
    ...(status === 'INACTIVE'
      ? [
          {
            subject: 'taskDefinition',
            message: 'The revision that runs is deregistered: the cloud does not let a rollback return to it.',
          },
        ]
      : []),
    ...variables.filter(looksSecret).map(({ name }) => ({
      subject: `environment: ${name}`,
      message:
        'It looks like a secret, and becomes a value that everybody reads who sees the instance. Keep it in a secret ' +
        'store, and take it from there by `secrets`.',
    })),
  ]
}

const looksSecret = ({ name, value = '' }: Variable): boolean =>
  value !== '' &&
  (/SECRET|PASSW|TOKEN|API_?KEY|PRIVATE_?KEY|CREDENTIAL/i.test(name) || /:\/\/[^/\s:@]+:[^/\s@]+@/.test(value))
