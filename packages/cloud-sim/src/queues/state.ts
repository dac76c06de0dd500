import { EventEmitter } from 'node:events'
import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import { defineState } from '../world.ts'
import type { WireAttributes } from './message-attributes.ts'

/** SQS queue. Key: its ARN. */
export interface Queue extends Row {
  scope: Scope
  name: string
  attributes: Record<string, string>
  tags: Record<string, string>
  createdAt: number
  changedAt: number
  /** Real time of the last purge. */
  purgedAt?: number | undefined
}

/** Key: the message id. All times are real time in epoch milliseconds, because receivers are real programs. */
export interface QueueMessage extends Row {
  queue: string
  body: string
  attributes?: WireAttributes | undefined
  sentAt: number
  visibleAt: number
  receives: number
  firstReceivedAt?: number | undefined
  /** Receipt handle of the latest receive. Only this handle can delete the message. */
  receiptHandle?: string | undefined
  /** Queue from which it was moved to the dead-letter queue. */
  deadLetterSource?: string | undefined
}

/** Tables of the simulated SQS. */
export const sqs = defineState((world) => ({
  queues: world.table<Queue>('queue', { scope: (row) => row.scope }),
  messages: world.table<QueueMessage>('queue-message', { queue: (row) => row.queue }, { isLarge: true }),
  /** Emits a queue's ARN when there may be messages to receive. */
  bell: new EventEmitter().setMaxListeners(0),
}))
