import {
  DescribeTasksCommand,
  type ECSClient,
  ListTasksCommand,
  RunTaskCommand,
  type RunTaskCommandInput,
  type RunTaskCommandOutput,
  type Service,
  StopTaskCommand,
  type Task,
} from '@aws-sdk/client-ecs'
import { present } from '../../../platform/present.ts'
import type { Command, ServiceInEnvironment, TaskSnapshot } from '../../facts/ecs.ts'
import { CloudPermanentError, CloudTransientError, callCloud } from '../cloud-call.ts'
import { findService, primaryDeploymentOf } from './services.ts'

/** Command to run as a task. Its unique name identifies the task if the response is lost. */
export type CommandRequest = {
  place: ServiceInEnvironment
  command: Command
  taskDefinitionArn: string
  name: string
  /**
   * Volumes of the task definition that are configured at launch. The command gets the same ones as the service's
   * tasks.
   */
  launchVolumes: readonly string[]
}

/**
 * Runs the command as a task, with the service's settings as defaults, and returns the task's ARN. Repeating the
 * request under the same name starts no second task.
 */
export async function runCommand(
  ecs: ECSClient,
  { place, command, taskDefinitionArn, name, launchVolumes }: CommandRequest,
  beforeSend: () => void,
): Promise<string> {
  const service = await findService(ecs, place)
  const { overrides, networkConfiguration, capacityProviderStrategy, enableExecuteCommand } = command
  // ECS rejects a launch type together with capacity providers.
  const ownCapacity = capacityProviderStrategy ?? service.capacityProviderStrategy ?? []
  const capacity =
    ownCapacity.length > 0 ? { capacityProviderStrategy: ownCapacity } : { launchType: service.launchType }
  const input = present({
    cluster: place.clusterArn,
    taskDefinition: taskDefinitionArn,
    clientToken: name,
    startedBy: name,
    overrides,
    networkConfiguration: networkConfiguration ?? service.networkConfiguration,
    platformVersion: service.platformVersion,
    enableExecuteCommand,
    volumeConfigurations: launchVolumes.length > 0 ? volumesOf(service, launchVolumes) : undefined,
    ...capacity,
  })
  beforeSend()
  return startedTask(
    await callCloud(() => ecs.send(new RunTaskCommand(input as RunTaskCommandInput)), 'RunTask'),
    'command',
  )
}

/** Returns how the service's primary deployment configures these volumes. */
const volumesOf = (service: Service, names: readonly string[]) =>
  primaryDeploymentOf(service)?.volumeConfigurations?.filter(({ name = '' }) => names.includes(name))

/** Returns the ARN of the started task. `what` describes the task in error messages. */
export function startedTask(
  { tasks, failures }: Pick<RunTaskCommandOutput, 'tasks' | 'failures'>,
  what: string,
): string {
  const arn = tasks?.[0]?.taskArn
  if (arn) return arn
  const { reason = 'no reason given', detail = '' } = failures?.[0] ?? {}
  const failure = [reason, detail].filter((part) => part !== '').join(': ')
  // Capacity may become available later.
  if (reason.startsWith('RESOURCE') || reason === 'AGENT') {
    throw new CloudTransientError(`The cloud has no capacity for the ${what}: ${failure}.`, { isAnswered: true })
  }
  throw new CloudPermanentError('RunTaskFailure', `The cloud did not start the ${what}: ${failure}.`)
}

/** Returns the command's task if an earlier attempt started one. ECS lists stopped tasks for about an hour. */
export const findCommand = (
  ecs: ECSClient,
  { place, taskDefinitionArn, name }: Pick<CommandRequest, 'place' | 'taskDefinitionArn' | 'name'>,
): Promise<string | undefined> => findTask(ecs, { cluster: place.clusterArn, taskDefinitionArn, startedBy: name })

/** Returns the newest task of a task definition that was started under this name. */
export async function findTask(
  ecs: ECSClient,
  { cluster, taskDefinitionArn, startedBy }: { cluster: string; taskDefinitionArn: string; startedBy: string },
): Promise<string | undefined> {
  // `startedBy` cannot be combined with other filters, and without a status filter ECS lists only running tasks.
  const { taskArns: [running] = [] } = await callCloud(() => ecs.send(new ListTasksCommand({ cluster, startedBy })))
  if (running !== undefined) return running
  const [stopped] = await stoppedTasks(ecs, { cluster, family: familyOf(taskDefinitionArn) }, startedBy, 1)
  return stopped?.taskArn
}

/** Returns the family in a task definition's ARN, `…:task-definition/FAMILY:REVISION`. */
const familyOf = (taskDefinitionArn: string): string => taskDefinitionArn.split('/').at(-1)?.split(':')[0] ?? ''

/**
 * Maximum number of tasks per list and describe call ("ListTasks", "DescribeTasks" in the API reference, read 2026-11).
 */
const maxTasks = 100

/**
 * Returns the stopped tasks of a service or task definition family with this `startedBy`, which no single ECS filter
 * can express.
 */
export async function stoppedTasks(
  ecs: ECSClient,
  { cluster, ...filter }: { cluster: string } & ({ serviceName: string } | { family: string }),
  startedBy: string,
  limit: number,
): Promise<Task[]> {
  const found: Task[] = []
  let nextToken: string | undefined
  do {
    const page = {
      cluster,
      ...filter,
      desiredStatus: 'STOPPED' as const,
      maxResults: maxTasks,
      ...present({ nextToken }),
    }
    const { taskArns = [], nextToken: next } = await callCloud(() => ecs.send(new ListTasksCommand(page)))
    if (taskArns.length > 0) {
      const { tasks = [] } = await callCloud(() => ecs.send(new DescribeTasksCommand({ cluster, tasks: taskArns })))
      found.push(...tasks.filter((task) => task.startedBy === startedBy))
    }
    nextToken = next
  } while (nextToken && found.length < limit)
  return found.slice(0, limit)
}

/** Reads a snapshot of a task, or returns undefined while ECS does not return it or after it has expired. */
export async function readCommand(
  ecs: ECSClient,
  { clusterArn }: Pick<ServiceInEnvironment, 'clusterArn'>,
  taskArn: string,
  container: string,
): Promise<TaskSnapshot | undefined> {
  const command = new DescribeTasksCommand({ cluster: clusterArn, tasks: [taskArn] })
  const { tasks } = await callCloud(() => ecs.send(command))
  return tasks?.[0] && snapshotOf(tasks[0], container)
}

/** Requests that a task stop. It ends within its containers' stop timeouts. */
export async function stopCommand(
  ecs: ECSClient,
  { clusterArn }: Pick<ServiceInEnvironment, 'clusterArn'>,
  task: string,
  reason: string,
): Promise<void> {
  await callCloud(() => ecs.send(new StopTaskCommand({ cluster: clusterArn, task, reason })))
}

function snapshotOf({ lastStatus, stopCode, stoppedReason, containers = [] }: Task, container: string): TaskSnapshot {
  const ours = containers.find(({ name }) => name === container)
  const why = [stopCode, stoppedReason, ours?.reason].filter((part) => part !== undefined && part !== '')
  return present({
    hasEnded: lastStatus === 'STOPPED' || lastStatus === 'DELETED',
    exitCode: ours?.exitCode,
    reason: [...new Set(why)].join(': '),
  })
}
