import type { Message } from '../../platform/engine/messages.ts'

/** Name of the engine object for cloud tasks, keyed by task id. */
export const runnerTaskService = 'runner-task'

/** Payload of a wake-up: the number of the timer, or none. */
export type WakeUp = { seq?: number }

/** Returns the message that makes a poll of a task. */
export const toRunnerTask = (key: string, payload: WakeUp = {}, delayMs?: number): Message => ({
  service: runnerTaskService,
  key,
  handler: 'advance',
  payload,
  ...(delayMs !== undefined && { delayMs }),
})
