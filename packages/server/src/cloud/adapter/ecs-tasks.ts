import {
  DescribeTasksCommand,
  type DesiredStatus,
  type ECSClient,
  ListTasksCommand,
  RunTaskCommand,
  type RunTaskCommandInput,
  StopTaskCommand,
  type Task,
} from '@aws-sdk/client-ecs'
import { present } from '../../platform/present.ts'
import type { Command, ServicePlace, TaskSnapshot } from '../facts/ecs.ts'
import { ask, CloudRefusal, CloudTrouble } from './answer.ts'
import { findService } from './ecs-services.ts'

/** A command to run, under a name of its own by which its task is found again. */
export type CommandRequest = { place: ServicePlace; command: Command; taskDefinitionArn: string; name: string }

/**
 * Runs the command as a task, once: a request that is sent again under the same name starts nothing more. Where the
 * module does not say, it runs as the service's tasks do. The ARN of the task.
 */
export async function runCommand(
  ecs: ECSClient,
  { place, command, taskDefinitionArn, name }: CommandRequest,
  beforeSend: () => void,
): Promise<string> {
  const service = await findService(ecs, place)
  const { overrides, networkConfiguration, capacityProviderStrategy, enableExecuteCommand } = command
  // A launch type and capacity providers exclude each other.
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
    ...capacity,
  })
  beforeSend()
  const { tasks, failures } = await ask(() => ecs.send(new RunTaskCommand(input as RunTaskCommandInput)))
  const arn = tasks?.[0]?.taskArn
  if (arn) return arn
  const { reason = 'no reason given', detail = '' } = failures?.[0] ?? {}
  const said = [reason, detail].filter((part) => part !== '').join(': ')
  // What there is not enough of now may be there later.
  if (reason.startsWith('RESOURCE') || reason === 'AGENT') {
    throw new CloudTrouble(`The cloud has no capacity for the command: ${said}.`, { isAnswered: true })
  }
  throw new CloudRefusal('RunTaskFailure', `The cloud did not start the command: ${said}.`)
}

/** The task of the command, if an earlier attempt started one. Those that ended stay listed for about an hour. */
export async function findCommand(
  ecs: ECSClient,
  { clusterArn }: ServicePlace,
  name: string,
): Promise<string | undefined> {
  const list = (desiredStatus: DesiredStatus) =>
    ask(() => ecs.send(new ListTasksCommand({ cluster: clusterArn, startedBy: name, desiredStatus })))
  const [running, stopped] = await Promise.all([list('RUNNING'), list('STOPPED')])
  return running.taskArns?.[0] ?? stopped.taskArns?.[0]
}

/** One look at a task; undefined while the cloud does not show it, or no more. */
export async function readCommand(
  ecs: ECSClient,
  { clusterArn }: ServicePlace,
  taskArn: string,
  container: string,
): Promise<TaskSnapshot | undefined> {
  const command = new DescribeTasksCommand({ cluster: clusterArn, tasks: [taskArn] })
  const { tasks } = await ask(() => ecs.send(command))
  return tasks?.[0] && snapshotOf(tasks[0], container)
}

/** Asks a task to stop; it ends within the time that its containers are granted. */
export async function stopCommand(
  ecs: ECSClient,
  { clusterArn }: ServicePlace,
  task: string,
  reason: string,
): Promise<void> {
  await ask(() => ecs.send(new StopTaskCommand({ cluster: clusterArn, task, reason })))
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
