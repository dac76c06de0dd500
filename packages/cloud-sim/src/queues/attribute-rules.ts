import { CloudError } from '../errors.ts'

/**
 * Allowed ranges of a queue's numbers ("SetQueueAttributes" in the API reference, read 2026-11), in seconds or bytes.
 */
const ranges: Record<string, [from: number, to: number]> = {
  DelaySeconds: [0, 900],
  KmsDataKeyReusePeriodSeconds: [60, 86_400],
  MaximumMessageSize: [1024, 1_048_576],
  MessageRetentionPeriod: [60, 1_209_600],
  ReceiveMessageWaitTimeSeconds: [0, 20],
  VisibilityTimeout: [0, 43_200],
}

export function checkAttributes(attributes: Record<string, string>): void {
  for (const [name, value] of Object.entries(attributes)) {
    const range = ranges[name]
    if (!range || value === '') continue
    const [from, to] = range
    if (/^\d+$/.test(value) && Number(value) >= from && Number(value) <= to) continue
    throw new CloudError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`)
  }
}
