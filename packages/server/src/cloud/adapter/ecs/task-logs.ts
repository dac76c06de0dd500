import { type CloudWatchLogsClient, GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import type { ContainerDefinition } from '@aws-sdk/client-ecs'
import type { TaskDefinitionRecord } from '@sluice/contract'
import { callCloud } from '../cloud-call.ts'

/** Maximum number of log lines in an error message. */
export const maxLines = 20
/** Maximum length of a log line in an error message, in characters. */
export const maxLineLength = 500

/**
 * Returns the last lines that a task's container logged. Returns none if they cannot be read, because they are only
 * explanatory.
 */
export async function lastLines(
  logs: CloudWatchLogsClient,
  definition: TaskDefinitionRecord | undefined,
  container: string,
  taskArn: string,
): Promise<string[]> {
  const place = logStreamOf(definition, container, taskArn)
  return place ? endOfStream(logs, place) : []
}

/** Returns the last lines of a log stream, or none if they cannot be read. */
export async function endOfStream(
  logs: CloudWatchLogsClient,
  place: { logGroupName: string; logStreamName: string },
): Promise<string[]> {
  const command = new GetLogEventsCommand({ ...place, limit: maxLines, startFromHead: false })
  const { events = [] } = await callCloud(() => logs.send(command)).catch(() => ({ events: [] }))
  return events.flatMap(({ message }) => (message ? [message.trimEnd().slice(0, maxLineLength)] : []))
}

/** Maximum lines and characters per line when a user views one task's log. */
const shownLines = 200
const maxExcerptLength = 4_000

/** Reads the last lines of a log stream, oldest first. */
export async function readEnd(
  logs: CloudWatchLogsClient,
  place: { logGroupName: string; logStreamName: string },
): Promise<{ timestamp: Date; message: string }[]> {
  const command = new GetLogEventsCommand({ ...place, limit: shownLines, startFromHead: false })
  const { events = [] } = await callCloud(() => logs.send(command))
  return events.map(({ timestamp = 0, message = '' }) => ({
    timestamp: new Date(timestamp),
    message: message.trimEnd().slice(0, maxExcerptLength),
  }))
}

/**
 * Returns the log group and stream of a container. The stream is `PREFIX/CONTAINER/TASK`; without a prefix its name is
 * unpredictable.
 */
export function logStreamOf(definition: TaskDefinitionRecord | undefined, container: string, taskArn: string) {
  const containers = (definition?.definition.containerDefinitions ?? []) as ContainerDefinition[]
  const { logDriver, options } = containers.find(({ name }) => name === container)?.logConfiguration ?? {}
  const { 'awslogs-group': logGroupName, 'awslogs-stream-prefix': prefix } = options ?? {}
  if (logDriver !== 'awslogs' || !logGroupName || !prefix) return undefined
  return { logGroupName, logStreamName: `${prefix}/${container}/${taskArn.split('/').at(-1)}` }
}
