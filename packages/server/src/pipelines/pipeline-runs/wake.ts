import type { Message } from '../../platform/engine/messages.ts'

/** The engine's objects of this feature. `run` is keyed by pipeline run id, `step` by step execution id. */
export const runService = 'run'
export const stepService = 'step'

/** What a wake-up carries: the number it was set under, or nothing when something happened that calls for a look. */
export type WakeUp = { seq?: number }

/** The message that makes a run be looked at. */
export const toRun = (key: string, payload: WakeUp = {}, delayMs?: number): Message => ({
  service: runService,
  key,
  handler: 'advance',
  payload,
  ...(delayMs !== undefined && { delayMs }),
})

/** The message that makes a step be looked at which a worker carries out. */
export const toStep = (key: string, payload: WakeUp = {}, delayMs?: number): Message => ({
  service: stepService,
  key,
  handler: 'advance',
  payload,
  ...(delayMs !== undefined && { delayMs }),
})

/** The message that makes a run be looked at when its time has come. */
export function wakeUpOf(
  { id, wakeAt, wakeSeq }: { id: string; wakeAt: Date | null; wakeSeq: number },
  now: Date,
): Message {
  const delayMs = Math.max(0, (wakeAt?.getTime() ?? 0) - now.getTime())
  return toRun(id, { seq: wakeSeq }, delayMs)
}
