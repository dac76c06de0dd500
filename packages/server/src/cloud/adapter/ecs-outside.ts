import {
  type DeploymentConfiguration,
  DescribeServiceDeploymentsCommand,
  DescribeServiceRevisionsCommand,
  type ECSClient,
} from '@aws-sdk/client-ecs'
import type { TaskDefinitionRecord } from '@sluice/contract'
import { present } from '../../platform/present.ts'
import type { EcsStrategy, OutsideRelease, ServicePlace } from '../facts/ecs.ts'
import { ask } from './answer.ts'
import { findServiceDeployment } from './ecs-service-deployments.ts'
import { readTaskDefinition } from './ecs-task-definitions.ts'

/** Statuses of a service deployment in which something is still to come. */
const unfinished = ['PENDING', 'IN_PROGRESS', 'STOP_REQUESTED', 'ROLLBACK_REQUESTED', 'ROLLBACK_IN_PROGRESS']

/** A release that others began since then; undefined while the cloud does not list it yet. */
export async function readOutsideRelease(
  ecs: ECSClient,
  place: ServicePlace,
  externalDeploymentId: string,
  since: Date,
): Promise<OutsideRelease | undefined> {
  const arn = await findServiceDeployment(ecs, place, { externalDeploymentId, since })
  if (arn === undefined) return undefined
  const command = new DescribeServiceDeploymentsCommand({ serviceDeploymentArns: [arn] })
  const { serviceDeployments: [found] = [] } = await ask(() => ecs.send(command))
  const target = found?.targetServiceRevision?.arn
  if (!found || target === undefined) return undefined
  const [taskDefinition, previous] = await Promise.all([
    taskDefinitionOf(ecs, target),
    taskDefinitionOf(ecs, found.sourceServiceRevisions?.[0]?.arn),
  ])
  if (!taskDefinition) return undefined
  return present({
    serviceDeploymentArn: arn,
    createdAt: found.createdAt ?? new Date(0),
    isOver: !unfinished.includes(found.status ?? ''),
    taskDefinition,
    previous,
    strategy: strategyOf(found.deploymentConfiguration ?? {}),
  })
}

async function taskDefinitionOf(
  ecs: ECSClient,
  revision: string | undefined,
): Promise<TaskDefinitionRecord | undefined> {
  if (revision === undefined) return undefined
  const command = new DescribeServiceRevisionsCommand({ serviceRevisionArns: [revision] })
  const { serviceRevisions: [found] = [] } = await ask(() => ecs.send(command))
  return found?.taskDefinition === undefined ? undefined : readTaskDefinition(ecs, found.taskDefinition)
}

const types: Record<string, Exclude<EcsStrategy['type'], 'rolling'>> = {
  BLUE_GREEN: 'blue_green',
  LINEAR: 'linear',
  CANARY: 'canary',
}

function strategyOf(configuration: DeploymentConfiguration): EcsStrategy {
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

const pauseStagesOf = ({ lifecycleHooks = [] }: DeploymentConfiguration) =>
  lifecycleHooks.flatMap(({ targetType, lifecycleStages = [], timeoutConfiguration }) => {
    if (targetType !== 'PAUSE') return []
    const { timeoutInMinutes = 1_440, action } = timeoutConfiguration ?? {}
    const timeoutAction: 'ROLLBACK' | 'CONTINUE' = action === 'CONTINUE' ? 'CONTINUE' : 'ROLLBACK'
    return lifecycleStages.map((stage) => ({ stage: stage as string, timeoutInMinutes, timeoutAction }))
  })
