import { EventEmitter } from 'node:events'
import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import { state } from '../world.ts'
import type { WireAttributes } from './message-attributes.ts'

/** Key: the queue ARN. */
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

/** Key: the message id. All moments are real time, epoch milliseconds: receivers are real programs and wait in it. */
export interface QueueMessage extends Row {
  queue: string
  body: string
  attributes?: WireAttributes | undefined
  sentAt: number
  visibleAt: number
  receives: number
  firstReceivedAt?: number | undefined
  /** Of the last time it was received; only this one deletes it. */
  receiptHandle?: string | undefined
  /** The queue from which it was moved as undeliverable. */
  deadLetterSource?: string | undefined
}

/** What the queue service keeps. */
export const sqs = state((world) => ({
  queues: world.table<Queue>('queue', { scope: (row) => row.scope }),
  messages: world.table<QueueMessage>('queue-message', { queue: (row) => row.queue }, { isLarge: true }),
  /** Rings by the ARN of a queue when there may be something to receive. */
  bell: new EventEmitter().setMaxListeners(0),
}))
