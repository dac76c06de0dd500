import type { Cluster, Service as ServiceShape, TaskDefinition as TaskDefinitionShape } from '@aws-sdk/client-ecs'
import { scopeOfArn } from '../arns.ts'
import { findRule, weightsIn } from '../elb/weights.ts'
import type { World } from '../world.ts'
import { advanceService } from './deployer.ts'
import type { RevisionSpec } from './service-records.ts'
import { startDeployment } from './service-start.ts'
import { serviceParts } from './services.ts'
import { ecs } from './state.ts'
import { withDefaults } from './validation.ts'

/** ECS service as described by AWS. */
export interface ImportedService {
  cluster: Cluster
  service: ServiceShape
  taskDefinitions: TaskDefinitionShape[]
}

/** Creates the service under its name. Its tasks run once its first deployment has ended. */
export function importService(world: World, { cluster, service, taskDefinitions }: ImportedService): void {
  const { clusterArn = '', clusterName: name = '', settings = [] } = cluster
  const scope = scopeOfArn(clusterArn)
  ecs(world).clusters.save({ key: clusterArn, scope, name, status: 'ACTIVE', tags: [], settings })
  for (const definition of taskDefinitions) importTaskDefinition(world, definition)
  const { serviceArn: key = '', serviceName = '', desiredCount = 0, createdBy = '' } = service
  const { settings: own, spec } = partsOf(service)
  const row = ecs(world).services.save({
    key,
    name: serviceName,
    scope,
    clusterArn,
    status: 'ACTIVE',
    desiredCount,
    createdBy,
    request: '',
    settings: own,
    deploymentConfiguration: withDefaults(undefined, own),
    primary: '',
    live: [],
    open: [],
    tags: [],
    failuresInARow: 0,
    isSteady: false,
    createdAt: world.clock.timestamp(),
  })
  startDeployment(world, row, spec)
  const revision = ecs(world).revisions.get(row.primary)
  if (revision) ecs(world).revisions.save(Object.assign(revision, { targetGroups: servingGroups(world, spec) }))
  advanceService(world, key)
}

/** Sets the deployment configuration of an imported service after it has become stable. */
export function configureImported(world: World, { serviceArn = '', deploymentConfiguration }: ServiceShape): void {
  const row = ecs(world).services.get(serviceArn)
  if (!row) throw new Error(`The service ${serviceArn} was not imported.`)
  const configured = withDefaults(deploymentConfiguration, row.settings)
  ecs(world).services.save(Object.assign(row, { deploymentConfiguration: configured }))
}

/** Reports whether a service has no deployment in progress. */
export const isAtRest = (world: World, serviceArn: string): boolean =>
  ecs(world).services.get(serviceArn)?.open.length === 0

/** Returns Service Connect and volume settings, which AWS returns only with the service's deployment. */
function partsOf(service: ServiceShape) {
  const primary = service.deployments?.find(({ status }) => status === 'PRIMARY')
  const { serviceConnectConfiguration, volumeConfigurations, vpcLatticeConfigurations } = primary ?? {}
  const parts = serviceParts({
    ...service,
    serviceConnectConfiguration,
    volumeConfigurations,
    vpcLatticeConfigurations,
  })
  const { platformVersion, ...spec } = parts.spec
  const version = platformVersion === undefined ? {} : { platformVersion }
  return { settings: parts.settings, spec: { ...spec, ...version, taskDefinition: service.taskDefinition ?? '' } }
}

/** Returns the target groups that receive production traffic by the listener rules. */
function servingGroups(world: World, { loadBalancers = [] }: RevisionSpec): string[] {
  return loadBalancers.map(({ targetGroupArn = '', advancedConfiguration }) => {
    const { productionListenerRule, alternateTargetGroupArn: alternate = '' } = advancedConfiguration ?? {}
    const rule = productionListenerRule && findRule(world, productionListenerRule)
    const weights = rule ? weightsIn(rule) : {}
    return (weights[alternate] ?? 0) > (weights[targetGroupArn] ?? 0) ? alternate : targetGroupArn
  })
}

function importTaskDefinition(world: World, shape: TaskDefinitionShape): void {
  const { taskDefinitionArn: key = '', family = '', revision = 1, status, registeredBy = '', ...rest } = shape
  const { registeredAt: _, deregisteredAt: __, compatibilities: ___, requiresAttributes: ____, ...others } = rest
  const content = { ...others, containerDefinitions: others.containerDefinitions ?? [] }
  ecs(world).taskDefinitions.save({
    key,
    scope: scopeOfArn(key),
    family,
    revision,
    status: status === 'ACTIVE' ? 'ACTIVE' : 'INACTIVE',
    content,
    tags: [],
    registeredAt: world.clock.timestamp(),
    registeredBy,
  })
}
