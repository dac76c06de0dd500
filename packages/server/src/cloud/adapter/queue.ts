import { DeleteMessageBatchCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { domainOf } from '../facts/partition.ts'
import { callCloud } from './cloud-call.ts'

/** SQS queue, as identified by its ARN. */
export type Queue = { region: string; accountNumber: string; url: string }

/** Received message. SQS delivers it again until it is deleted by its receipt. */
export type QueueMessage = { body: string; receipt: string }

/** Maximum number of messages per request ("SQS quotas", read 2026-11). */
export const maxMessages = 10
/** Maximum wait of a long poll, in seconds. */
export const maxWaitSeconds = 20

/**
 * Parses `arn:PARTITION:sqs:REGION:ACCOUNT:NAME`. Derives the URL from the ARN, so that a tenant can name a queue but
 * no address.
 */
export function queueOf(arn: string): Queue {
  const [, , , region = '', accountNumber = '', name = ''] = arn.split(':')
  return { region, accountNumber, url: `https://sqs.${region}.${domainOf(arn)}/${accountNumber}/${name}` }
}

/** Receives messages, waiting up to `waitSeconds` for the first. SQS hides them from other consumers meanwhile. */
export async function receiveMessages(
  queues: SQSClient,
  { url }: Queue,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<QueueMessage[]> {
  const request = { QueueUrl: url, MaxNumberOfMessages: maxMessages, WaitTimeSeconds: waitSeconds }
  const answer = await callCloud(() => queues.send(new ReceiveMessageCommand(request), { abortSignal: signal }))
  return (answer.Messages ?? []).map(({ Body = '', ReceiptHandle = '' }) => ({ body: Body, receipt: ReceiptHandle }))
}

/** Deletes processed messages. Messages that cannot be deleted are delivered again. */
export async function removeMessages(
  queues: SQSClient,
  { url }: Queue,
  messages: readonly QueueMessage[],
): Promise<void> {
  const Entries = messages.map(({ receipt }, index) => ({ Id: String(index), ReceiptHandle: receipt }))
  await callCloud(() => queues.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries })))
}
