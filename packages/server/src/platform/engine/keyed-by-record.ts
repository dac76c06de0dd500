import { type ObjectContext, object } from '@restatedev/restate-sdk'
import type { Clock } from '../clock.ts'
import { TurnTimeout } from '../db/connections/turns.ts'
import type { WorkOn } from '../db/ownership.ts'
import { workingOn } from '../log/work.ts'
import { asSpan } from '../traces/present.ts'
import { inRealTime, inTrace, type Message, recordSpan, sendMessages, type Traced } from './messages.ts'
import { shortSteps } from './short-steps.ts'

/** The message that a step of work was called by. */
export type Called<Payload> = {
  /** The id of the record. */
  id: string
  /** What the message says; what an older one does not say yet is not there. */
  payload: Partial<Payload>
  /** The engine's name for this call: the same when the call is made again after a crash. */
  engineRunId: string
}

type KeyedByRecord<Parts, Payload> = {
  service: string
  handler: string
  /** What the engine's journal calls the step. Never changed: a call cut short by an upgrade finds its step by it. */
  journaledAs: string
  workOn: WorkOn<Parts>
  step: (parts: Parts, called: Called<Payload>) => Promise<Message[]>
}

/**
 * When a call that got no turn comes again: it leaves its place in the engine to calls of other organizations. Real
 * milliseconds.
 */
const retryDelayMs = () => 2_000 + Math.random() * 3_000

/**
 * An object of the engine keyed by the id of a record: each call does one short step of work about the record, and
 * counts as done with the messages that follow. A record that is gone is left alone. The delays of messages are of
 * `clock`.
 */
export const keyedByRecord =
  <Parts, Payload>(given: KeyedByRecord<Parts, Payload>) =>
  (clock: Clock) =>
    object({
      name: given.service,
      handlers: {
        [given.handler]: async (ctx: ObjectContext, payload?: Payload & Traced): Promise<void> => {
          const { id: engineRunId, attemptCompletedSignal } = ctx.request()
          const { service, handler } = given
          const span = recordSpan({ service, key: ctx.key, handler, payload }, handler)
          const step = async () => {
            const called = { id: ctx.key, payload: payload ?? {}, engineRunId }
            let hasBegun = false
            const workInTurn = (parts: Parts) => {
              // The engine may have given this call up while it waited, and made it again.
              if (attemptCompletedSignal.aborted) return Promise.resolve([])
              hasBegun = true
              return given.step(parts, called)
            }
            const messages = await given.workOn(ctx.key, workInTurn).catch((error: unknown) => {
              if (hasBegun || !(error instanceof TurnTimeout)) throw error
              const delayMs = clock.elapsedMs(retryDelayMs())
              return [{ service, key: ctx.key, handler, payload: payload ?? {}, delayMs }]
            })
            // Here, as the journal keeps them: they are the same when they are sent again.
            return (messages ?? []).map((message) => inRealTime(inTrace(message), clock))
          }
          const work = () => asSpan(span, () => workingOn({ engineRunId }, step))
          sendMessages(ctx, await ctx.run(given.journaledAs, work))
        },
      },
      options: shortSteps,
    })
