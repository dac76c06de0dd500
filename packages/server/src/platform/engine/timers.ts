import type { Clock } from '../clock.ts'
import { runOutsideTrace } from '../traces/present.ts'
import type { Message } from './messages.ts'
import type { WakeUps } from './wake-ups.ts'

/**
 * Timers in the memory of the process that set them last. The row has the same time, and a sweep finds it some seconds
 * late if the process is gone. A superseded wake-up therefore costs the engine nothing.
 */
export interface Timers {
  /** Sends the message after this many milliseconds of the clock, in place of an earlier one for the same record. */
  set(message: Message, delayMs: number): void
  /** Cancels the timer of a finished record. */
  clear(record: Pick<Message, 'service' | 'key'>): void
  /** Cancels all timers, which the sweep replaces. */
  stop(): void
}

/** Maximum delay of a JavaScript timer, some 24 days in real milliseconds. A sweep finds later wake-ups. */
const mostMs = 2_147_483_647

export function createTimers(wakeUps: Pick<WakeUps, 'tell'>, clock: Pick<Clock, 'realMs'>): Timers {
  const waiting = new Map<string, NodeJS.Timeout>()
  let isStopped = false
  const recordOf = ({ service, key }: Pick<Message, 'service' | 'key'>) => `${service} ${key}`
  const clear = (record: string) => {
    clearTimeout(waiting.get(record))
    waiting.delete(record)
  }
  return {
    set(message, delayMs) {
      const record = recordOf(message)
      clear(record)
      const realMs = clock.realMs(delayMs)
      if (isStopped || realMs > mostMs) return
      const fire = () => {
        waiting.delete(record)
        void wakeUps.tell([message])
      }
      const timer = runOutsideTrace(() => setTimeout(fire, realMs))
      waiting.set(record, timer)
    },
    clear: (message) => clear(recordOf(message)),
    stop() {
      isStopped = true
      for (const timer of waiting.values()) clearTimeout(timer)
      waiting.clear()
    },
  }
}
