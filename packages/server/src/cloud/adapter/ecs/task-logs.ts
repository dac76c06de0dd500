import { type CloudWatchLogsClient, GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import type { ContainerDefinition } from '@aws-sdk/client-ecs'
import type { TaskDefinitionRecord } from '@sluice/contract'
import { ask } from '../answer.ts'

/** Enough to see what a program died of, and no more than an error should carry. */
export const mostLines = 20
/** Characters. */
export const longestLine = 500

/**
 * The last lines that a container of a task wrote, where it logs to the cloud and we may read that. They only explain,
 * so what cannot be read is left out.
 */
export async function lastLines(
  logs: CloudWatchLogsClient,
  definition: TaskDefinitionRecord | undefined,
  container: string,
  taskArn: string,
): Promise<string[]> {
  const place = placeOf(definition, container, taskArn)
  return place ? endOfStream(logs, place) : []
}

/** The last lines of a stream; none where they cannot be read. */
export async function endOfStream(
  logs: CloudWatchLogsClient,
  place: { logGroupName: string; logStreamName: string },
): Promise<string[]> {
  const command = new GetLogEventsCommand({ ...place, limit: mostLines, startFromHead: false })
  const { events = [] } = await ask(() => logs.send(command)).catch(() => ({ events: [] }))
  return events.flatMap(({ message }) => (message ? [message.trimEnd().slice(0, longestLine)] : []))
}

/** So much of a log is shown to who looks at one task. */
const shownLines = 200
const longestShown = 4_000

/** The last lines of a stream, oldest first. */
export async function readEnd(
  logs: CloudWatchLogsClient,
  place: { logGroupName: string; logStreamName: string },
): Promise<{ timestamp: Date; message: string }[]> {
  const command = new GetLogEventsCommand({ ...place, limit: shownLines, startFromHead: false })
  const { events = [] } = await ask(() => logs.send(command))
  return events.map(({ timestamp = 0, message = '' }) => ({
    timestamp: new Date(timestamp),
    message: message.trimEnd().slice(0, longestShown),
  }))
}

/** A container's stream is `PREFIX/CONTAINER/TASK`; without a prefix it cannot be told. */
export function placeOf(definition: TaskDefinitionRecord | undefined, container: string, taskArn: string) {
  const containers = (definition?.definition.containerDefinitions ?? []) as ContainerDefinition[]
  const { logDriver, options } = containers.find(({ name }) => name === container)?.logConfiguration ?? {}
  const { 'awslogs-group': logGroupName, 'awslogs-stream-prefix': prefix } = options ?? {}
  if (logDriver !== 'awslogs' || !logGroupName || !prefix) return undefined
  return { logGroupName, logStreamName: `${prefix}/${container}/${taskArn.split('/').at(-1)}` }
}
