import type { ExecutionNetwork } from '@sluice/contract'
import type { CloudClients } from '../../cloud/adapter/access.ts'
import { findBuild, readBuild, startBuild, stopBuild } from '../../cloud/adapter/build-service.ts'
import { startRunner } from '../../cloud/adapter/ecs/runner-tasks.ts'
import { endOfStream } from '../../cloud/adapter/ecs/task-logs.ts'
import { findTask, readCommand, stopCommand } from '../../cloud/adapter/ecs/tasks.ts'
import { type ComputeType, logStreamOf } from '../../cloud/facts/build-service.ts'
import { logStreamPrefixOf, runnerContainer } from '../../cloud/facts/runner-tasks.ts'
import type { ObservedTask } from './failures.ts'
import type { BuildPlace, RunnerTaskRow, TaskPlace } from './tables.ts'

/**
 * Operations on the cloud resource that runs the runner of an attempt: an ECS task, or a build of the build service.
 */
export type TaskResource = {
  /** Returns the ARN of the task if an earlier attempt to start it has created it. */
  find(): Promise<string | undefined>
  /** Returns undefined if the cloud does not list it any more. */
  see(arn: string): Promise<ObservedTask | undefined>
  stop(arn: string, reason: string): Promise<void>
  logStreamOf(arn: string): string
}

/** Location of a task, and the function that starts it and returns its ARN. */
export type Starting = {
  place: TaskPlace | BuildPlace
  start: (clients: CloudClients, told: TaskSettings) => Promise<string>
}

/** Name by which the task is found again, and environment variables with its secrets. */
export type TaskSettings = { name: string; env: Record<string, string> }

export function taskResourceAt(
  clients: CloudClients,
  place: TaskPlace | BuildPlace,
  task: Pick<RunnerTaskRow, 'id' | 'createdAt'>,
): TaskResource {
  const carrier = 'projectName' in place ? asBuild(clients, place, task) : asTask(clients, place, task)
  return {
    ...carrier,
    async see(arn) {
      const seen = await carrier.see(arn)
      if (!seen?.hasEnded) return seen
      const stream = { logGroupName: place.logGroupName, logStreamName: carrier.logStreamOf(arn) }
      return { ...seen, log: await endOfStream(clients.logs, stream) }
    },
  }
}

const asTask = (
  { ecs }: CloudClients,
  { clusterName: cluster, taskDefinitionArn }: TaskPlace,
  { id: startedBy }: Pick<RunnerTaskRow, 'id'>,
): TaskResource => ({
  find: () => findTask(ecs, { cluster, taskDefinitionArn, startedBy }),
  see: (arn) => readCommand(ecs, { clusterArn: cluster }, arn, runnerContainer),
  stop: (arn, reason) => stopCommand(ecs, { clusterArn: cluster }, arn, reason),
  logStreamOf: logStreamPrefixOf,
})

const asBuild = (
  { builds }: CloudClients,
  { projectName }: BuildPlace,
  { id: name, createdAt: since }: Pick<RunnerTaskRow, 'id' | 'createdAt'>,
): TaskResource => ({
  find: () => findBuild(builds, { projectName, name, since }),
  see: (arn) => readBuild(builds, arn),
  stop: (arn) => stopBuild(builds, arn),
  logStreamOf,
})

export const startingTask = (place: TaskPlace, network: ExecutionNetwork): Starting => ({
  place,
  start: ({ ecs }, told) => startRunner(ecs, { ...place, network, ...told }),
})

export const startingBuild = (place: BuildPlace, computeType: ComputeType): Starting => ({
  place,
  start: ({ builds }, told) => startBuild(builds, { projectName: place.projectName, computeType, ...told }),
})
