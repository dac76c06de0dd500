import type { Deployment } from '@sluice/contract'
import { eventsOf } from '@sluice/contract/stages'

/** API operation in a message. The console has buttons instead. */
const operation = /: POST \/\S+?(?=\.?$)/

/** Removes the API operation from a message. */
export const withoutOperation = (message: string): string => message.replace(operation, '')

/** Returns why a deployment is queued; undefined for other statuses. */
export function queueMessage(deployment: Deployment): string | undefined {
  if (deployment.status !== 'PENDING') return undefined
  const last = eventsOf(deployment).at(-1)
  return last?.stepCode === 'QUEUED' ? last.message && withoutOperation(last.message) : undefined
}
