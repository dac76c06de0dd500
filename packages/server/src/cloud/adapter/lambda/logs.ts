import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import { GetFunctionConfigurationCommand, type LambdaClient } from '@aws-sdk/client-lambda'
import type { FunctionPlace } from '../../facts/lambda.ts'
import { ask } from '../answer.ts'
import { longestLine, mostLines } from '../ecs/task-logs.ts'
import { searchLog } from '../logs.ts'

/** What the platform itself writes around each call ("Lambda function logs" in the developer guide, read 2026-11). */
const platformLine = /^(INIT_START|START|END|REPORT|XRAY) /
/** Enough of them that lines of the function remain when the platform's are left out. */
const mostRead = 5 * mostLines

type Wish = FunctionPlace & {
  version: string
  /** From when on. */
  since: Date
  now: Date
}

/**
 * The last lines that a version of a function wrote. They only explain, so what cannot be read is left out.
 */
export async function lastLinesOfVersion(
  clients: { lambda: LambdaClient; logs: CloudWatchLogsClient },
  wish: Wish,
): Promise<string[]> {
  try {
    return await readLines(clients, wish)
  } catch {
    return []
  }
}

async function readLines(
  { lambda, logs }: { lambda: LambdaClient; logs: CloudWatchLogsClient },
  { functionArn, version, since, now }: Wish,
): Promise<string[]> {
  const command = new GetFunctionConfigurationCommand({ FunctionName: functionArn, Qualifier: version })
  const { LoggingConfig } = await ask(() => lambda.send(command))
  const logGroup = LoggingConfig?.LogGroup ?? `/aws/lambda/${functionArn.split(':').at(-1)}`
  const search = { from: since.getTime(), until: now.getTime(), order: 'newest-first', limit: mostRead } as const
  // A stream is named by its day, of which a release may have seen two: `2026/11/24/[2]f31c…`.
  for (const day of new Set([now, since].map(dayOf))) {
    const { lines } = await searchLog(logs, { logGroup, logStreamPrefix: `${day}/[${version}]` }, search)
    const own = lines.map(({ message }) => message.trimEnd()).filter((line) => line !== '' && !platformLine.test(line))
    if (own.length > 0)
      return own
        .slice(0, mostLines)
        .toReversed()
        .map((line) => line.slice(0, longestLine))
  }
  return []
}

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10).replaceAll('-', '/')
