import type { RunTaskRequest } from '@aws-sdk/client-ecs'
import type { Caller } from '../callers.ts'
import { CloudError, invalidParameter } from '../errors.ts'
import type { World } from '../world.ts'
import { findCluster } from './clusters.ts'
import { takeCommandResult } from './commands.ts'
import { checkLaunch } from './launch-rules.ts'
import { programOf } from './programs.ts'
import { activeTaskDefinition } from './services.ts'
import { ecs, type RunRequest, type Task } from './state.ts'
import { behaviourOfTask, type Launch, launch } from './task-life.ts'
import { describe } from './tasks.ts'

// Limits from the API reference of RunTask. Overrides are measured as JSON.
const maxTasks = 10
const maxOverridesLength = 8192
const maxTokenLength = 64
const maxStartedByLength = 128

export function runTask(world: World, caller: Caller, input: RunTaskRequest) {
  const cluster = findCluster(world, caller, input.cluster)
  const taskDefinitionArn = activeTaskDefinition(world, caller, input.taskDefinition)
  check(world, input, taskDefinitionArn)
  const { clientToken, ...rest } = input
  const key = `${caller.scope} ${clientToken}`
  const request = JSON.stringify(rest)
  const before = clientToken === undefined ? undefined : ecs(world).runRequests.get(key)
  if (before) return { tasks: startedBefore(world, before, request).map((task) => describe(world, task)), failures: [] }

  const behaviour = behaviourOfTask(world, taskDefinitionArn)
  // Missing capacity is a failure in a successful response.
  if (behaviour === 'no-capacity') return { tasks: [], failures: [{ arn: cluster.key, reason: 'RESOURCE:MEMORY' }] }
  const { startedBy, overrides, enableExecuteCommand, group = `family:${familyOf(taskDefinitionArn)}` } = input
  const start = { clusterArn: cluster.key, taskDefinitionArn, behaviour, group, startedBy, targets: [] }
  const program = programOf(world, taskDefinitionArn)
  const tasks = Array.from({ length: input.count ?? 1 }, () => {
    const job = program ? undefined : jobOf(world, taskDefinitionArn, input)
    return launch(world, { ...start, job, program, overrides, enableExecuteCommand })
  })
  if (clientToken !== undefined) ecs(world).runRequests.save({ key, request, tasks: tasks.map((task) => task.key) })
  return { tasks: tasks.map((task) => describe(world, task)), failures: [] }
}

/** Returns the tasks of a repeated request. Rejects another request with the same token. */
function startedBefore(world: World, { request, tasks }: RunRequest, asked: string): Task[] {
  if (request !== asked) {
    const message = `The clientToken was used before, with other parameters: ${tasks.join(', ')}.`
    throw new CloudError('ConflictException', message)
  }
  return tasks.flatMap((arn) => ecs(world).tasks.get(arn) ?? [])
}

/** Returns the first container with a command; tasks without one run like those of a service. */
function jobOf(world: World, taskDefinitionArn: string, { overrides }: RunTaskRequest): Launch['job'] {
  const containers = containersOf(world, taskDefinitionArn).map(({ name = '', command }) => ({
    container: name,
    command: overrides?.containerOverrides?.find((override) => override.name === name)?.command ?? command ?? [],
  }))
  const found = containers.find(({ command }) => command.length > 0)
  if (!found) return undefined
  return { container: found.container, command: found.command.join(' '), ...takeCommandResult(world, found.command) }
}

const containersOf = (world: World, taskDefinitionArn: string) =>
  ecs(world).taskDefinitions.get(taskDefinitionArn)?.content.containerDefinitions ?? []

const familyOf = (taskDefinitionArn: string) => taskDefinitionArn.split(/[/:]/).at(-2) ?? ''

function check(world: World, input: RunTaskRequest, taskDefinitionArn: string): void {
  const { count = 1, clientToken = '', startedBy = '', overrides, propagateTags } = input
  if (!Number.isInteger(count) || count < 1 || count > maxTasks) {
    throw invalidParameter(`count must be an integer between 1 and ${maxTasks}.`)
  }
  if (clientToken.length > maxTokenLength) throw invalidParameter(`clientToken is longer than ${maxTokenLength}.`)
  if (startedBy.length > maxStartedByLength) throw invalidParameter(`startedBy is longer than ${maxStartedByLength}.`)
  if (propagateTags === 'SERVICE')
    throw invalidParameter('Tags of a service cannot be propagated to a task without one.')
  const definition = ecs(world).taskDefinitions.get(taskDefinitionArn)
  if (definition) checkLaunch(definition, input)
  if (JSON.stringify(overrides ?? {}).length > maxOverridesLength) {
    throw invalidParameter(`Overrides cannot be longer than ${maxOverridesLength} characters.`)
  }
  const names = containersOf(world, taskDefinitionArn).map(({ name }) => name)
  const stranger = overrides?.containerOverrides?.find(({ name }) => !names.includes(name))
  if (stranger) {
    throw invalidParameter(`Override for container named ${stranger.name} is not a container in the TaskDefinition.`)
  }
}
