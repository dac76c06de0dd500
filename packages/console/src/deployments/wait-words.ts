import type { Deployment } from '@sluice/contract'
import { eventsOf } from '@sluice/contract/stages'

/** The operation that is the way out: here there are buttons for it. */
const operation = /: POST \/\S+?(?=\.?$)/

/** What a deployment that has not begun waits for, as the service says it; undefined of all others. */
export function waitWords(deployment: Deployment): string | undefined {
  if (deployment.status !== 'PENDING') return undefined
  const last = eventsOf(deployment).at(-1)
  return last?.stepCode === 'QUEUED' ? last.message?.replace(operation, '') : undefined
}
