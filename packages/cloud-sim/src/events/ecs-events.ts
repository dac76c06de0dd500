import { nameOf, regionAndAccountOf, scopeOfArn } from '../arns.ts'
import type { Hook } from '../ecs/rollout.ts'
import type { Service, ServiceDeployment } from '../ecs/service-records.ts'
import { ecs, isPending, type Task } from '../ecs/state.ts'
import type { World } from '../world.ts'
import { publish as publishEvent } from './publish.ts'

/**
 * Publishes an event in the format of the developer guide's pages "Amazon ECS ... events" (deployment, hook, service
 * action, task).
 */
function publish(world: World, detailType: string, resource: string, detail: object): void {
  publishEvent(world, scopeOfArn(resource), { source: 'aws.ecs', detailType, resources: [resource], detail })
}

const iso = (timestamp: number | undefined) => (timestamp === undefined ? undefined : new Date(timestamp).toISOString())

export function publishDeployment(
  world: World,
  deployment: ServiceDeployment,
  eventType: 'INFO' | 'ERROR',
  eventName: 'SERVICE_DEPLOYMENT_IN_PROGRESS' | 'SERVICE_DEPLOYMENT_COMPLETED' | 'SERVICE_DEPLOYMENT_FAILED',
  reason?: string,
  deploymentId = `ecs-svc/${nameOf(deployment.target)}`,
): void {
  publish(world, 'ECS Deployment State Change', deployment.serviceArn, {
    eventType,
    eventName,
    deploymentId,
    updatedAt: iso(world.clock.timestamp()),
    reason: reason ?? `ECS deployment ${deploymentId} in progress.`,
  })
}

const hookEventNames: Record<Hook['status'], string> = {
  AWAITING_ACTION: 'HOOK_AWAITING_ACTION',
  SUCCEEDED: 'HOOK_SUCCEEDED',
  FAILED: 'HOOK_FAILED',
  TIMED_OUT: 'HOOK_TIMED_OUT',
}

export function publishHook(world: World, deployment: ServiceDeployment, hook: Hook): void {
  publish(world, 'ECS Hook State Change', deployment.key, {
    eventType: hook.status === 'FAILED' || hook.status === 'TIMED_OUT' ? 'ERROR' : 'INFO',
    eventName: hookEventNames[hook.status],
    hookId: hook.hookId,
    hookType: hook.targetType,
    expiresAt: iso(world.clock.timestamp(hook.expiresAt))?.replace(/\.\d+Z$/, 'Z'),
    lifecycleStage: hook.stage,
    clusterArn: deployment.clusterArn,
    serviceArn: deployment.serviceArn,
    serviceDeploymentArn: deployment.key,
    updatedAt: iso(world.clock.timestamp())?.replace('Z', '000000Z'), // AWS sends nanoseconds here
  })
}

export function publishServiceAction(
  world: World,
  service: Service,
  eventType: 'INFO' | 'WARN' | 'ERROR',
  eventName: string,
): void {
  const createdAt = iso(world.clock.timestamp())
  publish(world, 'ECS Service Action', service.key, { eventType, eventName, clusterArn: service.clusterArn, createdAt })
}

export function publishTask(world: World, task: Task): void {
  const definition = ecs(world).taskDefinitions.get(task.taskDefinitionArn)?.content
  publish(world, 'ECS Task State Change', task.key, {
    attachments: [
      {
        id: task.attachmentId,
        type: 'eni',
        status: attachmentStatus(task),
        details: [{ name: 'privateIPv4Address', value: task.ip }],
      },
    ],
    attributes: [{ name: 'ecs.cpu-architecture', value: 'x86_64' }],
    availabilityZone: `${regionAndAccountOf(scopeOfArn(task.key)).region}${task.zone ?? 'a'}`,
    clusterArn: task.clusterArn,
    connectivity: task.startedAt === undefined ? undefined : 'CONNECTED',
    connectivityAt: iso(task.startedAt),
    containers: task.containers.map(({ name, image, digest, runtimeId, exitCode, reason }) => ({
      containerArn: `${task.key.replace(':task/', ':container/')}/${name}`,
      lastStatus: containerStatus(task),
      name,
      image,
      imageDigest: task.startedAt === undefined ? undefined : digest,
      runtimeId: task.startedAt === undefined ? undefined : runtimeId,
      taskArn: task.key,
      exitCode,
      reason,
      networkInterfaces: [{ attachmentId: task.attachmentId, privateIpv4Address: task.ip }],
      cpu: '0',
    })),
    cpu: definition?.cpu ?? '256',
    memory: definition?.memory ?? '512',
    createdAt: iso(task.createdAt),
    desiredStatus: task.desiredStatus,
    lastStatus: task.lastStatus,
    enableExecuteCommand: false,
    ephemeralStorage: { sizeInGiB: 20 },
    group: task.group,
    startedBy: task.startedBy,
    launchType: 'FARGATE',
    platformVersion: '1.4.0',
    overrides: { containerOverrides: task.containers.map(({ name }) => ({ name })) },
    startedAt: iso(task.startedAt),
    stoppingAt: iso(task.stoppingAt),
    executionStoppedAt: iso(task.executionStoppedAt),
    stoppedAt: iso(task.stoppedAt),
    stopCode: task.stopCode,
    stoppedReason: task.stoppedReason,
    taskArn: task.key,
    taskDefinitionArn: task.taskDefinitionArn,
    updatedAt: iso(task.updatedAt),
    version: task.version,
  })
}

/** Returns a container's status, which is STOPPED once its process has ended, before its task. */
export function containerStatus({ lastStatus, containers }: Task): string {
  if (['DEPROVISIONING', 'STOPPED'].includes(lastStatus) || containers.some(({ exitCode }) => exitCode !== undefined))
    return 'STOPPED'
  return isPending({ lastStatus }) ? 'PENDING' : 'RUNNING'
}

export function attachmentStatus({ lastStatus }: Task): string {
  if (lastStatus === 'STOPPED') return 'DELETED'
  if (lastStatus === 'DEPROVISIONING') return 'DETACHING'
  return lastStatus === 'PROVISIONING' ? 'PRECREATED' : 'ATTACHED'
}
