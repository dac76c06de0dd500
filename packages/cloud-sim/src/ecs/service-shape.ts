import type { Deployment, Service as ServiceShape } from '@aws-sdk/client-ecs'
import { seconds, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { remainingTasks } from './scheduler.ts'
import { deploymentIdOf, launchTypeOf, type Revision, type RevisionSpec, type Service } from './service-records.ts'
import { ecs } from './state.ts'
import { countsOf } from './summaries.ts'

/** Serializes a service as in DescribeServices. */
export function describeService(world: World, service: Service, withTags: boolean): Wire<ServiceShape> {
  const primary = ecs(world).revisions.get(service.primary)
  const shown = service.live.filter((arn) => isShown(world, service, arn)).toReversed()
  const revisions = shown.flatMap((arn) => ecs(world).revisions.get(arn) ?? [])
  const counts = revisions.map((revision) => countsOf(world, service, revision.key))
  const latest = service.latest ? ecs(world).serviceDeployments.get(service.latest) : undefined
  const isListed = latest && latest.listableAt <= world.clock.now()
  const spec: RevisionSpec = primary?.spec ?? service.spec ?? { taskDefinition: '' }
  return {
    ...defaultSettings,
    ...service.settings,
    ...launchTypeOf(service.settings),
    ...(spec.networkConfiguration && { networkConfiguration: spec.networkConfiguration }),
    serviceArn: service.key,
    serviceName: service.name,
    clusterArn: service.clusterArn,
    status: service.status,
    desiredCount: service.desiredCount,
    runningCount: counts.reduce((sum, { runningTaskCount }) => sum + runningTaskCount, 0),
    pendingCount: counts.reduce((sum, { pendingTaskCount }) => sum + pendingTaskCount, 0),
    taskDefinition: spec.taskDefinition,
    platformVersion: spec.platformVersion ?? 'LATEST',
    platformFamily: 'Linux',
    loadBalancers: spec.loadBalancers ?? [],
    serviceRegistries: spec.serviceRegistries ?? [],
    deploymentConfiguration: service.deploymentConfiguration,
    deployments: revisions.map((revision) => describeRevision(world, service, revision)),
    events: (ecs(world).eventLogs.get(service.key)?.events ?? []).map((event) => ({
      ...event,
      createdAt: seconds(event.createdAt),
    })),
    ...(isListed ? { currentServiceDeployment: latest.key } : {}),
    currentServiceRevisions: counts,
    createdAt: seconds(service.createdAt),
    createdBy: service.createdBy,
    ...(withTags ? { tags: service.tags } : {}),
  }
}

const defaultSettings = {
  schedulingStrategy: 'REPLICA',
  deploymentController: { type: 'ECS' },
  placementConstraints: [],
  placementStrategy: [],
  healthCheckGracePeriodSeconds: 0,
  enableECSManagedTags: false,
  enableExecuteCommand: false,
  propagateTags: 'NONE',
  availabilityZoneRebalancing: 'DISABLED',
} satisfies Wire<ServiceShape>

/** Reports whether a revision is listed: the newest, those with tasks, and a failed one. */
const isShown = (world: World, service: Service, arn: string) =>
  arn === service.primary ||
  remainingTasks(world, arn).length > 0 ||
  ecs(world).revisions.get(arn)?.rolloutState === 'FAILED'

/** Returns the fields that each deployment lists; the service itself lists only the network. */
function ofDeployments(spec: RevisionSpec): Wire<Deployment> {
  const { networkConfiguration, serviceConnectConfiguration, volumeConfigurations, vpcLatticeConfigurations } = spec
  return {
    ...(networkConfiguration && { networkConfiguration }),
    ...(serviceConnectConfiguration && { serviceConnectConfiguration }),
    ...(volumeConfigurations && { volumeConfigurations }),
    ...(vpcLatticeConfigurations && { vpcLatticeConfigurations }),
  }
}

function describeRevision(world: World, service: Service, revision: Revision): Wire<Deployment> {
  const counts = countsOf(world, service, revision.key)
  const { spec, rolloutState, rolloutStateReason, failedTasks, createdAt, updatedAt } = revision
  return {
    id: deploymentIdOf(revision),
    status: revision.key === service.primary ? 'PRIMARY' : 'ACTIVE',
    taskDefinition: spec.taskDefinition,
    desiredCount: counts.requestedTaskCount,
    pendingCount: counts.pendingTaskCount,
    runningCount: counts.runningTaskCount,
    failedTasks,
    createdAt: seconds(createdAt),
    updatedAt: seconds(updatedAt),
    ...launchTypeOf(service.settings),
    platformVersion: '1.4.0',
    platformFamily: 'Linux',
    ...ofDeployments(spec),
    rolloutState,
    rolloutStateReason,
  }
}
