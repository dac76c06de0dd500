import { CloudError } from '../errors.ts'
import type { World } from '../world.ts'
import { type Queue, sqs } from './state.ts'

/** Policy for messages that were received too often without being deleted. */
interface RedrivePolicy {
  deadLetterTargetArn: string
  maxReceiveCount: number
}

/** Maximum `maxReceiveCount` ("SetQueueAttributes" in the API reference, read 2026-11). */
const maxReceives = 1000

/** Validates a queue's redrive policy, whose target must exist in the scope. */
export function checkRedrive(world: World, scope: string, attributes: Record<string, string>): void {
  const { RedrivePolicy: text } = attributes
  if (!text) return
  const invalid = (reason: string) =>
    new CloudError('InvalidParameterValue', `Value ${text} for parameter RedrivePolicy is invalid. Reason: ${reason}`)
  const policy = parsePolicy(text)
  if (!policy) throw invalid('Redrive policy is not a valid JSON map.')
  const { deadLetterTargetArn, maxReceiveCount } = policy
  if (!deadLetterTargetArn) throw invalid('Redrive policy does not contain mandatory attribute: deadLetterTargetArn.')
  if (maxReceiveCount === undefined) {
    throw invalid('Redrive policy does not contain mandatory attribute: maxReceiveCount.')
  }
  if (!(Number.isInteger(maxReceiveCount) && maxReceiveCount >= 1 && maxReceiveCount <= maxReceives)) {
    throw invalid(
      `Invalid value for maxReceiveCount: ${maxReceiveCount}, valid values are from 1 to ${maxReceives} both inclusive.`,
    )
  }
  const target = sqs(world).queues.get(deadLetterTargetArn)
  if (target?.scope !== scope) throw invalid('Dead letter target does not exist.')
}

function parsePolicy(text: string): Partial<RedrivePolicy> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    const { deadLetterTargetArn, maxReceiveCount } = value as Record<string, unknown>
    return {
      ...(typeof deadLetterTargetArn === 'string' && { deadLetterTargetArn }),
      // SQS also accepts the number as text
      ...(maxReceiveCount !== undefined && { maxReceiveCount: Number(maxReceiveCount) }),
    }
  } catch {
    return undefined
  }
}

/** Moves messages that reached the policy's receive count to the dead-letter queue. */
export function redrive(world: World, queue: Queue, now: number): void {
  const { deadLetterTargetArn = '', maxReceiveCount = 0 } = parsePolicy(queue.attributes.RedrivePolicy ?? '') ?? {}
  const target = sqs(world).queues.get(deadLetterTargetArn)
  if (!target) return
  const { messages, bell } = sqs(world)
  for (const message of messages.having('queue', queue.key)) {
    if (message.visibleAt > now || message.receives < maxReceiveCount) continue
    messages.remove(message)
    messages.save({ ...message, queue: target.key, receives: 0, receiptHandle: undefined, deadLetterSource: queue.key })
    bell.emit(target.key)
  }
}
