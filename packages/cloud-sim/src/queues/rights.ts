import { defineIamPermissions, type IamPermission, type PermissionContext } from '../rights/right.ts'
import { arnOf, readUrl } from './queues.ts'

type Named = { QueueUrl?: string }

function queue({ QueueUrl }: Named, { caller }: PermissionContext): string {
  const { account, name } = readUrl(QueueUrl)
  return arnOf(`${caller.region}:${account}`, name)
}

const byName = ({ QueueName = '' }: { QueueName?: string }, { caller }: PermissionContext) =>
  arnOf(caller.scope, QueueName)

/**
 * Returns the permission for single messages, which includes batches ("AddPermission", Amazon SQS API reference, read
 * 2026-11).
 */
const oneOf =
  (action: string) =>
  (input: Named, where: PermissionContext): IamPermission => ({
    action: `sqs:${action}`,
    resource: queue(input, where),
  })

export const queueRights = defineIamPermissions({
  ChangeMessageVisibility: queue,
  CreateQueue: byName,
  DeleteMessage: queue,
  DeleteMessageBatch: oneOf('DeleteMessage'),
  DeleteQueue: queue,
  GetQueueAttributes: queue,
  GetQueueUrl: byName,
  ListQueueTags: queue,
  PurgeQueue: queue,
  ReceiveMessage: queue,
  SendMessage: queue,
  SendMessageBatch: oneOf('SendMessage'),
  SetQueueAttributes: queue,
  TagQueue: queue,
  UntagQueue: queue,
})
