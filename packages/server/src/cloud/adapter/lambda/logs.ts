import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import { GetFunctionConfigurationCommand, type LambdaClient } from '@aws-sdk/client-lambda'
import type { FunctionPlace } from '../../facts/lambda.ts'
import { callCloud } from '../cloud-call.ts'
import { maxLineLength, maxLines } from '../ecs/task-logs.ts'
import { searchLog } from '../logs.ts'

/**
 * Matches lines that Lambda itself logs around each invocation ("Lambda function logs" in the developer guide, read
 * 2026-11).
 */
const platformLine = /^(INIT_START|START|END|REPORT|XRAY) /
/** Number of lines to read, so that enough remain after removing Lambda's own. */
const maxLinesRead = 5 * maxLines

type Wish = FunctionPlace & {
  version: string
  /** Time from which to search for lines. */
  since: Date
  now: Date
}

/**
 * Returns the last lines that a version of a function logged. Returns none if they cannot be read, because they are
 * only explanatory.
 */
export async function lastLinesOfVersion(
  clients: { lambda: LambdaClient; logs: CloudWatchLogsClient },
  request: Wish,
): Promise<string[]> {
  try {
    return await readLines(clients, request)
  } catch {
    return []
  }
}

async function readLines(
  { lambda, logs }: { lambda: LambdaClient; logs: CloudWatchLogsClient },
  { functionArn, version, since, now }: Wish,
): Promise<string[]> {
  const command = new GetFunctionConfigurationCommand({ FunctionName: functionArn, Qualifier: version })
  const { LoggingConfig } = await callCloud(() => lambda.send(command))
  const logGroup = LoggingConfig?.LogGroup ?? `/aws/lambda/${functionArn.split(':').at(-1)}`
  const search = { from: since.getTime(), until: now.getTime(), order: 'newest-first', limit: maxLinesRead } as const
  // Stream names start with the date, as in `2026/11/24/[2]f31c…`, and a release can span two days.
  for (const day of new Set([now, since].map(dayOf))) {
    const { lines } = await searchLog(logs, { logGroup, logStreamPrefix: `${day}/[${version}]` }, search)
    const own = lines.map(({ message }) => message.trimEnd()).filter((line) => line !== '' && !platformLine.test(line))
    if (own.length > 0)
      return own
        .slice(0, maxLines)
        .toReversed()
        .map((line) => line.slice(0, maxLineLength))
  }
  return []
}

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10).replaceAll('-', '/')
