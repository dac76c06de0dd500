import { type ObjectContext, object } from '@restatedev/restate-sdk'
import type { Clock } from '../clock.ts'
import { TurnTimeout } from '../db/connections/turns.ts'
import type { WorkOn } from '../db/ownership.ts'
import { workingOn } from '../log/work.ts'
import { asSpan } from '../traces/present.ts'
import { inRealTime, inTrace, type Message, recordSpan, sendMessages, type Traced } from './messages.ts'
import { shortSteps } from './short-steps.ts'

/** Message that started a step of work. */
export type RecordMessage<Payload> = {
  /** ID of the record. */
  id: string
  /** Content of the message. Fields that an older sender does not know are missing. */
  payload: Partial<Payload>
  /** Engine's ID of this call, which stays the same when the call is repeated after a crash. */
  engineRunId: string
}

type KeyedByRecord<Parts, Payload> = {
  service: string
  handler: string
  /**
   * Name of the step in the engine's journal. It must never change, because a call that an upgrade interrupts finds its
   * step by it.
   */
  journaledAs: string
  workOn: WorkOn<Parts>
  step: (parts: Parts, called: RecordMessage<Payload>) => Promise<Message[]>
}

/**
 * Delay before a call that got no turn is repeated, in real milliseconds. Calls of other organizations can run
 * meanwhile.
 */
const retryDelayMs = () => 2_000 + Math.random() * 3_000

/**
 * Creates a durable object whose keys are IDs of records. Each call does one short step of work on a record, and
 * completes together with its next messages. Calls for deleted records do nothing. Delays of messages are in time of
 * `clock`.
 */
export const createRecordObject =
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
              // The engine may have abandoned this call while it waited, and repeated it.
              if (attemptCompletedSignal.aborted) return Promise.resolve([])
              hasBegun = true
              return given.step(parts, called)
            }
            const messages = await given.workOn(ctx.key, workInTurn).catch((error: unknown) => {
              if (hasBegun || !(error instanceof TurnTimeout)) throw error
              const delayMs = clock.elapsedMs(retryDelayMs())
              return [{ service, key: ctx.key, handler, payload: payload ?? {}, delayMs }]
            })
            // Here, because the journal stores the result: repeated messages are identical.
            return (messages ?? []).map((message) => inRealTime(inTrace(message), clock))
          }
          const work = () => asSpan(span, () => workingOn({ engineRunId }, step))
          sendMessages(ctx, await ctx.run(given.journaledAs, work))
        },
      },
      options: shortSteps,
    })
