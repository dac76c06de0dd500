import { DeleteMessageBatchCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { domainOf } from '../facts/partition.ts'
import { ask } from './answer.ts'

/** A queue, as its ARN tells. */
export type Queue = { region: string; accountNumber: string; url: string }

/** What was received; it comes again until it is removed by its receipt. */
export type QueueMessage = { body: string; receipt: string }

/** So many at once is the most that the cloud gives and takes ("SQS quotas", read 2026-11). */
export const mostMessages = 10
/** The longest that the cloud lets wait. Seconds. */
export const longestWait = 20

/**
 * Reads `arn:PARTITION:sqs:REGION:ACCOUNT:NAME`. The URL is made here and its host is not dialled: a tenant names a
 * queue, never an address.
 */
export function queueOf(arn: string): Queue {
  const [, , , region = '', accountNumber = '', name = ''] = arn.split(':')
  return { region, accountNumber, url: `https://sqs.${region}.${domainOf(arn)}/${accountNumber}/${name}` }
}

/** Messages that nobody else works on; waits so long for the first. */
export async function receiveMessages(
  queues: SQSClient,
  { url }: Queue,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<QueueMessage[]> {
  const wish = { QueueUrl: url, MaxNumberOfMessages: mostMessages, WaitTimeSeconds: waitSeconds }
  const answer = await ask(() => queues.send(new ReceiveMessageCommand(wish), { abortSignal: signal }))
  return (answer.Messages ?? []).map(({ Body = '', ReceiptHandle = '' }) => ({ body: Body, receipt: ReceiptHandle }))
}

/** Removes what is done. What could not be removed comes again. */
export async function removeMessages(
  queues: SQSClient,
  { url }: Queue,
  messages: readonly QueueMessage[],
): Promise<void> {
  const Entries = messages.map(({ receipt }, index) => ({ Id: String(index), ReceiptHandle: receipt }))
  await ask(() => queues.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries })))
}
