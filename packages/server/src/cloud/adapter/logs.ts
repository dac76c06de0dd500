import { type CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import type { ModuleInstanceLogLine } from '@sluice/contract'
import { ask } from './answer.ts'

/** Where lines are searched, and which of them. */
export type LogSource = {
  logGroup: string
  logStreamPrefix?: string | undefined
  /** In the cloud's own pattern language. */
  filter?: string | undefined
}

export type LogSearch = {
  /** Epoch milliseconds, both included. */
  from: number
  until: number
  order: 'newest-first' | 'oldest-first'
  limit: number
  /** Where the page before ended; with the same source and times. */
  nextToken?: string | undefined
}

/**
 * A page of what was found. It may be empty and yet have a next one: the cloud searches so much at once and no more.
 */
export async function searchLog(
  logs: CloudWatchLogsClient,
  { logGroup, logStreamPrefix, filter }: LogSource,
  { from, until, order, limit, nextToken }: LogSearch,
): Promise<{ lines: ModuleInstanceLogLine[]; nextToken: string | undefined }> {
  const command = new FilterLogEventsCommand({
    logGroupName: logGroup,
    logStreamNamePrefix: logStreamPrefix,
    filterPattern: filter,
    startTime: from,
    endTime: until,
    startFromHead: order === 'oldest-first',
    limit,
    nextToken,
  })
  const answer = await ask(() => logs.send(command), 'FilterLogEvents')
  const lines = (answer.events ?? []).map(({ eventId = '', timestamp = 0, message = '', logStreamName = '' }) => ({
    id: eventId,
    timestamp: new Date(timestamp).toISOString(),
    message,
    logStream: logStreamName,
  }))
  return { lines, nextToken: answer.nextToken }
}
