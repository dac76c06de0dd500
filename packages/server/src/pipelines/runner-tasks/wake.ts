import type { Message } from '../../platform/engine/messages.ts'

/** The engine's object of this feature, keyed by the id of the task. */
export const runnerTaskService = 'runner-task'

/** What a wake-up carries: the number it was set under, or nothing. */
export type WakeUp = { seq?: number }

/** The message that makes a task be looked at. */
export const toRunnerTask = (key: string, payload: WakeUp = {}, delayMs?: number): Message => ({
  service: runnerTaskService,
  key,
  handler: 'advance',
  payload,
  ...(delayMs !== undefined && { delayMs }),
})
