import { nameOf, scopeOfArn } from '../arns.ts'
import { ecs, type Task } from '../ecs/state.ts'
import type { World } from '../world.ts'
import { openGroup } from './groups.ts'
import { cloudWatchLogs } from './state.ts'
import { openStream } from './streams.ts'

/**
 * Opens the streams of a task whose containers log to the cloud. The real cloud would not start a task whose group is
 * missing; here it is made, so that who simulates a service need not set up its logs.
 */
export function openTaskStreams(world: World, task: Task): void {
  for (const { group, stream, image, command } of streamsOf(world, task)) {
    const opened = openStream(world, group, stream)
    cloudWatchLogs(world).streams.save(
      Object.assign(opened, { voice: { image, command, from: world.clock.timestamp() } }),
    )
  }
}

/** The last words of a task's containers. */
export function closeTaskStreams(world: World, task: Task): void {
  for (const { group, stream, exitCode } of streamsOf(world, task)) {
    const opened = openStream(world, group, stream)
    if (!opened.voice) continue
    opened.voice = { ...opened.voice, until: world.clock.timestamp(), exitCode }
    cloudWatchLogs(world).streams.save(opened)
  }
}

/** A container's stream is `PREFIX/CONTAINER/TASK`. */
function streamsOf(world: World, task: Task) {
  const containers = ecs(world).taskDefinitions.get(task.taskDefinitionArn)?.content.containerDefinitions ?? []
  return containers.flatMap(({ name, image = '', logConfiguration }) => {
    const { 'awslogs-group': group, 'awslogs-stream-prefix': prefix = 'ecs' } = logConfiguration?.options ?? {}
    if (logConfiguration?.logDriver !== 'awslogs' || group === undefined) return []
    const exitCode = task.containers.find((container) => container.name === name)?.exitCode
    const { key } = openGroup(world, scopeOfArn(task.key), group)
    const { job } = task
    const command = job && job.container === name ? job.command : undefined
    return [{ group: key, stream: `${prefix}/${name}/${nameOf(task.key)}`, image, exitCode, command }]
  })
}
