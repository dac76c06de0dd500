import type { Message } from '../../platform/engine/messages.ts'

/** The engine's object of this feature, keyed by deployment id. */
export const resourcesService = 'deployment-resources'

/** How often the cloud was asked before. */
export type LookAgain = { failed?: number }

/** What ended may show a moment later only. Milliseconds. */
const settleMs = 1_000

/** The message that has what a deployment left behind looked at, once it is over. */
export const toResources = (key: string, payload: LookAgain = {}, delayMs = settleMs): Message => ({
  service: resourcesService,
  key,
  handler: 'keep',
  payload,
  delayMs,
})
