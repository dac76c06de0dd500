import { nameOf, regionAndAccountOf, scopeOfArn } from '../arns.ts'
import { assumedArn } from '../callers.ts'
import { ecs, type Task } from '../ecs/state.ts'
import { evaluateRolePolicy } from '../rights/authorize.ts'
import type { World } from '../world.ts'
import { arnOfGroup, openGroup } from './groups.ts'
import { cloudWatchLogs } from './state.ts'
import { append, openStream } from './streams.ts'

/**
 * Opens the log streams of a task's containers. Creates missing groups, for which AWS would not start the task, so that
 * simulated services need no log setup.
 */
export function openTaskStreams(world: World, task: Task): void {
  for (const { group, stream, image, command } of streamsOf(world, task)) {
    const opened = openStream(world, group, stream)
    if (task.program) continue // the program writes its own lines
    cloudWatchLogs(world).streams.save(
      Object.assign(opened, { voice: { image, command, from: world.clock.timestamp() } }),
    )
  }
}

/** Writes the last lines of a task's containers. */
export function closeTaskStreams(world: World, task: Task): void {
  for (const { group, stream, exitCode } of streamsOf(world, task)) {
    const opened = openStream(world, group, stream)
    if (!opened.voice) continue
    opened.voice = { ...opened.voice, until: world.clock.timestamp(), exitCode }
    cloudWatchLogs(world).streams.save(opened)
  }
}

/** Returns AWS's message if the log group of a task is missing. */
export function streamError(world: World, task: Task, executionRoleArn: string | undefined): string | undefined {
  const scope = scopeOfArn(task.key)
  for (const { options } of loggingOf(world, task)) {
    const group = arnOfGroup(scope, options?.['awslogs-group'] ?? '')
    const right = { action: 'logs:CreateLogStream', resource: `${group}:log-stream:${nameOf(task.key)}` }
    if (
      executionRoleArn &&
      evaluateRolePolicy(world, executionRoleArn, right, regionAndAccountOf(scope).region) !== 'allowed'
    ) {
      const who = assumedArn(executionRoleArn, nameOf(task.key))
      return noStream(`AccessDeniedException: User: ${who} is not authorized to perform: logs:CreateLogStream`)
    }
    if (cloudWatchLogs(world).groups.get(group)) continue
    return noStream('ResourceNotFoundException: The specified log group does not exist.')
  }
  return undefined
}

const noStream = (why: string) =>
  `ResourceInitializationError: failed to validate logger args: create stream has been retried 1 times: failed to create Cloudwatch log stream: ${why}`

/** Writes a program's output to the stream of its container. */
export function writeToStream(world: World, task: Task, container: string, lines: string[]): void {
  const place = streamsOf(world, task).find(({ name }) => name === container)
  if (place) append(world, openStream(world, place.group, place.stream), lines)
}

/** Returns the stream of each container, `PREFIX/CONTAINER/TASK`. */
function streamsOf(world: World, task: Task) {
  return loggingOf(world, task).flatMap(({ name, image, options }) => {
    const { 'awslogs-group': group, 'awslogs-stream-prefix': prefix = 'ecs' } = options ?? {}
    if (group === undefined) return []
    const exitCode = task.containers.find((container) => container.name === name)?.exitCode
    const { key } = openGroup(world, scopeOfArn(task.key), group)
    const { job } = task
    const command = job && job.container === name ? job.command : undefined
    return [{ name, group: key, stream: `${prefix}/${name}/${nameOf(task.key)}`, image, exitCode, command }]
  })
}

/** Returns a task's containers that log to CloudWatch. */
function loggingOf(world: World, task: Task) {
  const containers = ecs(world).taskDefinitions.get(task.taskDefinitionArn)?.content.containerDefinitions ?? []
  return containers.flatMap(({ name, image = '', logConfiguration }) =>
    logConfiguration?.logDriver === 'awslogs' ? [{ name, image, options: logConfiguration.options }] : [],
  )
}
