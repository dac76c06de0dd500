import { operations } from '../operation.ts'
import * as messages from './messages.ts'
import * as queues from './queues.ts'

/** Simulated operations of SQS, API version 2012-11-05, for standard queues. */
export const queueOperations = operations({
  ChangeMessageVisibility: messages.changeMessageVisibility,
  CreateQueue: queues.createQueue,
  DeleteMessage: messages.deleteMessage,
  DeleteMessageBatch: messages.deleteMessageBatch,
  DeleteQueue: queues.deleteQueue,
  GetQueueAttributes: queues.getQueueAttributes,
  GetQueueUrl: queues.getQueueUrl,
  ListQueues: queues.listQueues,
  ListQueueTags: queues.listQueueTags,
  PurgeQueue: messages.purgeQueue,
  ReceiveMessage: messages.receiveMessage,
  SendMessage: messages.sendMessage,
  SendMessageBatch: messages.sendMessageBatch,
  SetQueueAttributes: queues.setQueueAttributes,
  TagQueue: queues.tagQueue,
  UntagQueue: queues.untagQueue,
})

/** Error codes in the query protocol. */
export const queueQueryCodes = {
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  QueueNameExists: 'QueueAlreadyExists',
  EmptyBatchRequest: 'AWS.SimpleQueueService.EmptyBatchRequest',
  BatchEntryIdsNotDistinct: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct',
  BatchRequestTooLong: 'AWS.SimpleQueueService.BatchRequestTooLong',
  InvalidBatchEntryId: 'AWS.SimpleQueueService.InvalidBatchEntryId',
  PurgeQueueInProgress: 'AWS.SimpleQueueService.PurgeQueueInProgress',
  TooManyEntriesInBatchRequest: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
  MessageNotInflight: 'AWS.SimpleQueueService.MessageNotInflight',
}
