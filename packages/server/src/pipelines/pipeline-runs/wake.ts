import type { Message } from '../../platform/engine/messages.ts'

/** Names of the engine objects for runs (keyed by pipeline run id) and steps (keyed by step execution id). */
export const runService = 'run'
export const stepService = 'step'

/** Payload of a wake-up: the number of the timer, or none if something happened that requires a pass. */
export type WakeUp = { seq?: number }

/** Returns the message that makes a pass over a run. */
export const toRun = (key: string, payload: WakeUp = {}, delayMs?: number): Message => ({
  service: runService,
  key,
  handler: 'advance',
  payload,
  ...(delayMs !== undefined && { delayMs }),
})

/** Returns the message that makes a worker continue a step. */
export const toStep = (key: string, payload: WakeUp = {}, delayMs?: number): Message => ({
  service: stepService,
  key,
  handler: 'advance',
  payload,
  ...(delayMs !== undefined && { delayMs }),
})

/** Returns the message for the scheduled wake-up of a run. */
export function wakeUpOf(
  { id, wakeAt, wakeSeq }: { id: string; wakeAt: Date | null; wakeSeq: number },
  now: Date,
): Message {
  const delayMs = Math.max(0, (wakeAt?.getTime() ?? 0) - now.getTime())
  return toRun(id, { seq: wakeSeq }, delayMs)
}
