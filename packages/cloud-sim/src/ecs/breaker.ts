import type { DeploymentCircuitBreaker } from '@aws-sdk/client-ecs'
import { publishServiceAction } from '../events/ecs-events.ts'
import type { World } from '../world.ts'
import { recordServiceEvent } from './service-events.ts'
import type { Service, ServiceDeployment } from './service-records.ts'
import { ecs, type Task } from './state.ts'

/** Number of consecutive failures after which the scheduler pauses between retries. */
const failuresBeforePause = 10
const retryPauseSeconds = 60

/** Counts a service task that stopped by itself before it was healthy. */
export function countFailure(world: World, task: Task): void {
  const [service, deployment] = concerned(world, task)
  const revision = task.revisionArn ? ecs(world).revisions.get(task.revisionArn) : undefined
  if (!service || !revision) return
  revision.failedTasks += 1
  ecs(world).revisions.save(revision)
  service.failuresInARow += 1
  if (service.failuresInARow >= failuresBeforePause) {
    service.retryAt = world.in(retryPauseSeconds)
    service.wakeAt = service.retryAt
  }
  if (service.failuresInARow % failuresBeforePause === 0) {
    recordServiceEvent(
      world,
      service,
      'is unable to consistently start tasks successfully. For more information, see the Troubleshooting section.',
    )
    publishServiceAction(world, service, 'WARN', 'SERVICE_TASK_START_IMPAIRED')
  }
  ecs(world).services.save(service)
  if (!deployment) return
  deployment.failures += 1
  ecs(world).serviceDeployments.save(deployment)
}

/** Records a service task that became healthy. */
export function countHealthy(world: World, task: Task): void {
  const [service, deployment] = concerned(world, task)
  if (service && service.failuresInARow > 0) {
    ecs(world).services.save(Object.assign(service, { failuresInARow: 0, retryAt: undefined }))
  }
  if (!deployment || deployment.failures === 0) return
  if (deployment.configuration.deploymentCircuitBreaker?.resetOnHealthyTask === false) return
  ecs(world).serviceDeployments.save(Object.assign(deployment, { failures: 0 }))
}

/** Returns the service of a task and the deployment of its revision. */
function concerned(world: World, task: Task): [Service | undefined, ServiceDeployment | undefined] {
  const service = task.serviceArn ? ecs(world).services.get(task.serviceArn) : undefined
  const open = (service?.open ?? []).map((arn) => ecs(world).serviceDeployments.get(arn))
  const isConcerned = (deployment: ServiceDeployment | undefined) =>
    deployment?.target === task.revisionArn && deployment?.rollout.status === 'IN_PROGRESS'
  return [service, open.find(isConcerned)]
}

/**
 * Returns the failure threshold of a deployment: a percentage of the desired count, rounded up and bounded to 3 to 200.
 * (Developer guide, "How the Amazon ECS deployment circuit breaker detects failures".)
 */
export function thresholdOf(breaker: DeploymentCircuitBreaker | undefined, desiredCount: number): number {
  const { type = 'BOUNDED_PERCENT', value = 50 } = breaker?.thresholdConfiguration ?? {}
  if (type === 'COUNT') return value
  const share = Math.ceil((desiredCount * value) / 100)
  return type === 'BOUNDED_PERCENT' ? Math.min(200, Math.max(3, share)) : share
}

/** Reports whether the circuit breaker considers the deployment failed. */
export function isBroken({ configuration, failures }: ServiceDeployment, desiredCount: number): boolean {
  const breaker = configuration.deploymentCircuitBreaker
  return breaker?.enable === true && failures > 0 && failures >= thresholdOf(breaker, desiredCount)
}
