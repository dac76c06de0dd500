import type { ServiceRevisionSummary } from '@aws-sdk/client-ecs'
import type { World } from '../world.ts'
import { weightsOf } from './rollout.ts'
import { remainingTasks, requestedCount } from './scheduler.ts'
import type { Service, ServiceDeployment } from './service-records.ts'
import { isPending } from './state.ts'

/** Counts a revision's requested, running and pending tasks. */
export function countsOf(world: World, service: Service, revisionArn: string) {
  const tasks = remainingTasks(world, revisionArn)
  return {
    arn: revisionArn,
    requestedTaskCount: requestedCount(world, service, revisionArn),
    runningTaskCount: tasks.filter(({ lastStatus }) => lastStatus === 'RUNNING').length,
    pendingTaskCount: tasks.filter(isPending).length,
  }
}

/** Serializes a revision in a service deployment. Only deployments that shift traffic have weights. */
export function summaryOf(
  world: World,
  service: Service,
  deployment: ServiceDeployment,
  revisionArn: string,
): ServiceRevisionSummary {
  const counts = countsOf(world, service, revisionArn)
  if (deployment.rollout.strategy === 'ROLLING') return counts
  const { production, test } = weightsOf(deployment.rollout)
  const rest = revisionArn === deployment.base ? 100 : 0
  const weight = (share: number) =>
    revisionArn === deployment.target ? share : Math.max(0, Math.round((rest - share) * 10) / 10)
  return { ...counts, requestedTestTrafficWeight: weight(test), requestedProductionTrafficWeight: weight(production) }
}
