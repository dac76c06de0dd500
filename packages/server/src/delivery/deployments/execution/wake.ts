import type { Message } from '../../../platform/engine/messages.ts'

/** The engine's object of this feature, keyed by deployment id. */
export const deploymentService = 'deployment'

/** What a wake-up carries: the number it was set under, or nothing when something happened that calls for a look. */
export type WakeUp = {
  seq?: number
  /** The cloud told us to look. */
  isTold?: boolean
}

/** The message that makes a deployment go on. */
export const toDeployment = (key: string, payload: WakeUp = {}, delayMs?: number): Message => ({
  service: deploymentService,
  key,
  handler: 'advance',
  payload,
  ...(delayMs !== undefined && { delayMs }),
})
