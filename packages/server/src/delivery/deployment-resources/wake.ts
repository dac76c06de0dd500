import type { Message } from '../../platform/engine/messages.ts'

/** Name of the engine object for deployment resources, keyed by deployment id. */
export const resourcesService = 'deployment-resources'

/** Number of previous attempts that failed. */
export type ResourcesRetry = { failed?: number }

/** Delay after the end of a deployment, in milliseconds, because the cloud may show its end with a delay. */
const settleMs = 1_000

/** Returns the message that stores the resources of a finished deployment. */
export const toResources = (key: string, payload: ResourcesRetry = {}, delayMs = settleMs): Message => ({
  service: resourcesService,
  key,
  handler: 'keep',
  payload,
  delayMs,
})
