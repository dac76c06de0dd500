import type { Message } from '../../../platform/engine/messages.ts'

/** Name of the engine object for deployments, keyed by deployment id. */
export const deploymentService = 'deployment'

/** Payload of a wake-up: the number of the timer, or none if something happened that requires a poll. */
export type WakeUp = {
  seq?: number
  /** Whether an event of the cloud caused the message. */
  isTold?: boolean
}

/** Returns the message that makes a deployment continue. */
export const toDeployment = (key: string, payload: WakeUp = {}, delayMs?: number): Message => ({
  service: deploymentService,
  key,
  handler: 'advance',
  payload,
  ...(delayMs !== undefined && { delayMs }),
})
