import { type CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import type { ModuleInstanceLogLine } from '@sluice/contract'
import { callCloud } from './cloud-call.ts'

/** Log group and filters of a search. */
export type LogSource = {
  logGroup: string
  logStreamPrefix?: string | undefined
  /** CloudWatch Logs filter pattern. */
  filter?: string | undefined
}

export type LogSearch = {
  /** Time range of the search in epoch milliseconds, inclusive. */
  from: number
  until: number
  order: 'newest-first' | 'oldest-first'
  limit: number
  /** Token of the previous page, valid for the same source and times. */
  nextToken?: string | undefined
}

/**
 * Returns a page of matching lines. A page can be empty and still have a successor, because the cloud searches a
 * limited amount per request.
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
  const answer = await callCloud(() => logs.send(command), 'FilterLogEvents')
  const lines = (answer.events ?? []).map(({ eventId = '', timestamp = 0, message = '', logStreamName = '' }) => ({
    id: eventId,
    timestamp: new Date(timestamp).toISOString(),
    message,
    logStream: logStreamName,
  }))
  return { lines, nextToken: answer.nextToken }
}
