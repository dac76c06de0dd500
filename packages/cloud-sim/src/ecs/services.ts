import { isDeepStrictEqual } from 'node:util'
import type {
  CreateServiceRequest,
  DeleteServiceRequest,
  DescribeServicesRequest,
  ListServicesRequest,
  UpdateServiceRequest,
} from '@aws-sdk/client-ecs'
import { arns, scopeOfArn } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError, clientException, invalidParameter } from '../errors.ts'
import type { World } from '../world.ts'
import { clusterArn, findCluster } from './clusters.ts'
import { advanceService } from './deployer.ts'
import { page } from './pages.ts'
import { isDeployedByCloud, type RevisionSpec, type Service, type ServiceSettings } from './service-records.ts'
import { checkController, checkDesiredCount, checkNewService, checkService } from './service-rules.ts'
import { describeService } from './service-shape.ts'
import { giveUpOpenDeployments, startDeployment } from './service-start.ts'
import { ecs } from './state.ts'
import { resolveTaskDefinition } from './task-definitions.ts'
import { withDefaults } from './validation.ts'

export function createService(world: World, caller: Caller, input: CreateServiceRequest) {
  const cluster = findCluster(world, caller, input.cluster)
  const { serviceName: name = '', desiredCount = 0, tags = [] } = input
  checkNewService(input)
  const parts = serviceParts(input)
  const spec: RevisionSpec = {
    ...parts.spec,
    // With an external controller, task sets name their own.
    taskDefinition:
      input.deploymentController?.type === 'EXTERNAL' && !input.taskDefinition
        ? ''
        : activeTaskDefinition(world, caller, input.taskDefinition),
  }
  const { settings } = parts
  const deploymentConfiguration = withDefaults(input.deploymentConfiguration, settings)
  checkService(world, caller, input, { settings, spec, deploymentConfiguration })
  const key = arns.inCluster(cluster.key, 'service', name)
  const there = ecs(world).services.get(key)
  const request = JSON.stringify(input)
  if (there && there.status !== 'INACTIVE') {
    if (there.request !== request) throw invalidParameter('Creation of service was not idempotent.')
    return { service: describeService(world, there, true) }
  }
  if (there) forget(world, there)
  const service: Service = {
    key,
    name,
    scope: caller.scope,
    clusterArn: cluster.key,
    status: 'ACTIVE',
    desiredCount,
    request,
    settings,
    deploymentConfiguration,
    primary: '',
    live: [],
    open: [],
    createdAt: world.clock.timestamp(),
    createdBy: caller.arn,
    tags,
    failuresInARow: 0,
    isSteady: false,
  }
  ecs(world).services.save(service)
  deploy(world, service, spec)
  advanceService(world, key)
  return { service: describeService(world, service, true) }
}

export function updateService(world: World, caller: Caller, input: UpdateServiceRequest) {
  const service = findActiveService(world, caller, input)
  checkController(service, input)
  const current = ecs(world).revisions.get(service.primary)?.spec ?? service.spec
  if (!current) throw new CloudError('ServerException', `Service ${service.name} has no revision.`, 500)
  const desiredCount = input.desiredCount ?? service.desiredCount
  checkDesiredCount(desiredCount)
  const taskDefinition = input.taskDefinition
    ? activeTaskDefinition(world, caller, input.taskDefinition)
    : current.taskDefinition
  const spec: RevisionSpec = { ...current, ...pick(input, specNames), taskDefinition }
  const deploymentConfiguration = input.deploymentConfiguration
    ? withDefaults(input.deploymentConfiguration, service.settings)
    : service.deploymentConfiguration
  const settings = changedSettings(service, input)
  checkService(world, caller, input, { settings, spec, deploymentConfiguration })
  Object.assign(service, { desiredCount, deploymentConfiguration, settings, isSteady: false })
  ecs(world).services.save(service)
  if (input.forceNewDeployment || !service.primary || !isDeepStrictEqual(spec, current)) deploy(world, service, spec)
  advanceService(world, service.key)
  return { service: describeService(world, service, true) }
}

/** Starts a deployment, unless the service has another controller. */
function deploy(world: World, service: Service, spec: RevisionSpec): void {
  const isOurs = isDeployedByCloud(service.settings)
  ecs(world).services.save(Object.assign(service, { spec: isOurs ? undefined : spec }))
  if (isOurs) startDeployment(world, service, spec)
}

/** Returns the changed settings. Changing the capacity provider starts a deployment and removes the launch type. */
function changedSettings({ settings }: Service, input: UpdateServiceRequest): ServiceSettings {
  const changed = { ...settings, ...pick(input, settingNames) }
  const strategy = input.capacityProviderStrategy
  if (strategy === undefined || isDeepStrictEqual(strategy, settings.capacityProviderStrategy ?? [])) return changed
  if (!input.forceNewDeployment) {
    const message =
      'When switching from launch type to capacity provider strategy on an existing service, or making a change to a capacity provider strategy on a service that is already using one, you must force a new deployment.'
    throw invalidParameter(message)
  }
  const { launchType: _, ...others } = changed
  return strategy.length > 0 ? others : changed
}

export function deleteService(world: World, caller: Caller, input: DeleteServiceRequest) {
  const service = findService(world, caller, input)
  if (service.status === 'INACTIVE') throw serviceNotFound()
  if (service.desiredCount > 0 && !input.force) {
    throw invalidParameter('The service cannot be stopped while it is scaled above 0.')
  }
  Object.assign(service, { status: 'DRAINING', desiredCount: 0 })
  giveUpOpenDeployments(world, service, 'The service was deleted.')
  advanceService(world, service.key)
  return { service: describeService(world, service, true) }
}

/** Maximum number of services per describe call. */
const maxDescribed = 10

export function describeServices(world: World, caller: Caller, input: DescribeServicesRequest) {
  findCluster(world, caller, input.cluster)
  const names = input.services ?? []
  if (names.length === 0) throw invalidParameter('Services cannot be empty.')
  if (names.length > maxDescribed) throw invalidParameter(`Services cannot have more than ${maxDescribed} elements.`)
  const wanted = names.map((name) => serviceArn(caller, input.cluster, name))
  const isOwn = (arn: string) => ecs(world).services.get(arn)?.scope === caller.scope
  const withTags = input.include?.includes('TAGS') ?? false
  return {
    services: wanted.filter(isOwn).flatMap((arn) => {
      const service = ecs(world).services.get(arn)
      return service ? [describeService(world, service, withTags)] : []
    }),
    failures: wanted.filter((arn) => !isOwn(arn)).map((arn) => ({ arn, reason: 'MISSING' })),
  }
}

export function listServices(world: World, caller: Caller, input: ListServicesRequest) {
  const cluster = findCluster(world, caller, input.cluster)
  const active = ecs(world)
    .services.having('cluster', cluster.key)
    .filter(({ status }) => status !== 'INACTIVE')
  const { items, more } = page(active, input, 10)
  return { serviceArns: items.map(({ key }) => key), ...more }
}

interface Named {
  cluster?: string | undefined
  service?: string | undefined
}

export function findService(world: World, caller: Caller, { cluster, service: name }: Named): Service {
  if (!name) throw invalidParameter('Service cannot be empty.')
  const found = findCluster(world, caller, cluster ?? clusterOf(name))
  const service = ecs(world).services.get(serviceArn(caller, found.key, name))
  if (service?.scope !== caller.scope) throw serviceNotFound()
  return service
}

function findActiveService(world: World, caller: Caller, named: Named): Service {
  const service = findService(world, caller, named)
  if (service.status !== 'ACTIVE') throw new CloudError('ServiceNotActiveException', 'Service was not ACTIVE.')
  return service
}

const serviceNotFound = () => new CloudError('ServiceNotFoundException', 'Service not found.')

/** Returns the ARN of a service by name or ARN. */
export const serviceArn = (caller: Caller, cluster: string | undefined, name: string) =>
  name.startsWith('arn:') ? name : arns.inCluster(clusterArn(caller, cluster), 'service', name)

/** Returns the cluster in a service's ARN; a bare name means the default cluster. */
function clusterOf(service: string): string | undefined {
  const [, clusterName] = service.startsWith('arn:') ? service.split('/') : []
  return clusterName === undefined ? undefined : arns.cluster(scopeOfArn(service), clusterName)
}

/** Splits a service's settings: changing the `spec` starts a deployment, changing the `settings` does not. */
export const serviceParts = (input: Omit<RevisionSpec & ServiceSettings, 'taskDefinition'>) => ({
  spec: pick(input, specNames),
  settings: pick(input, settingNames),
})

/** Fields whose change starts a deployment. */
const specNames = [
  'loadBalancers',
  'networkConfiguration',
  'platformVersion',
  'serviceRegistries',
  'serviceConnectConfiguration',
  'volumeConfigurations',
  'vpcLatticeConfigurations',
] as const satisfies (keyof RevisionSpec)[]

/** Fields whose change starts no deployment. */
const settingNames = [
  'availabilityZoneRebalancing',
  'capacityProviderStrategy',
  'deploymentController',
  'enableECSManagedTags',
  'enableExecuteCommand',
  'healthCheckGracePeriodSeconds',
  'launchType',
  'placementConstraints',
  'placementStrategy',
  'propagateTags',
  'schedulingStrategy',
] as const satisfies (keyof ServiceSettings)[]

function pick<T extends object, Name extends string>(from: T, names: readonly Name[]): Pick<T, Name & keyof T> {
  const given = Object.entries(from).filter(([name, value]) => value !== undefined && names.some((own) => own === name))
  return Object.fromEntries(given) as Pick<T, Name & keyof T>
}

/** Returns the ARN of an active task definition. */
export function activeTaskDefinition(world: World, caller: Caller, name: string | undefined): string {
  if (!name) throw invalidParameter('TaskDefinition can not be blank.')
  const definition = resolveTaskDefinition(world, caller.scope, name)
  if (!definition) throw clientException('TaskDefinition not found.')
  if (definition.status !== 'ACTIVE') throw clientException('TaskDefinition is inactive')
  return definition.key
}

/** Deletes the history of a deleted service when its name is reused. */
function forget(world: World, service: Service): void {
  for (const deployment of ecs(world).serviceDeployments.having('service', service.key))
    ecs(world).serviceDeployments.remove(deployment)
  for (const revision of ecs(world).revisions.having('service', service.key)) ecs(world).revisions.remove(revision)
  const log = ecs(world).eventLogs.get(service.key)
  if (log) ecs(world).eventLogs.remove(log)
  ecs(world).services.remove(service)
}
