import { type Command, ListCommandsCommand, type SSMClient } from '@aws-sdk/client-ssm'
import { present } from '../../../platform/present.ts'
import type { ExternalCommand } from '../../facts/ec2.ts'
import { callCloud } from '../cloud-call.ts'

/** Maximum number of pages of 50 commands to read, newest first. */
const maxPages = 20

/** Lists the finished remote commands of the region since `since`, newest first. */
export async function readCommandsSince(ssm: SSMClient, since: Date): Promise<ExternalCommand[]> {
  const Filters = [{ key: 'InvokedAfter' as const, value: since.toISOString().replace(/\.\d+Z$/, 'Z') }]
  const found: ExternalCommand[] = []
  let NextToken: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const command = new ListCommandsCommand({ Filters, MaxResults: 50, ...present({ NextToken }) })
    const answer = await callCloud(() => ssm.send(command))
    found.push(...(answer.Commands ?? []).flatMap(commandOf))
    NextToken = answer.NextToken
    if (!NextToken) break
  }
  return found.toSorted((a, b) => b.requestedAt.getTime() - a.requestedAt.getTime())
}

const final = ['Success', 'Cancelled', 'Failed', 'TimedOut']

function commandOf(command: Command): ExternalCommand[] {
  const { CommandId, DocumentName, Comment = '', RequestedDateTime, Parameters = {}, Status = '' } = command
  if (!CommandId || !DocumentName || !RequestedDateTime) return []
  const status: string = Status
  return [
    {
      commandId: CommandId,
      documentName: DocumentName,
      comment: Comment,
      requestedAt: RequestedDateTime,
      parameters: Parameters,
      isOver: final.includes(status),
      hasSucceeded: status === 'Success',
      errorCount: command.ErrorCount ?? 0,
    },
  ]
}
