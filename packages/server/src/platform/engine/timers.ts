import type { Clock } from '../clock.ts'
import { apart } from '../traces/present.ts'
import type { Message } from './messages.ts'
import type { WakeUps } from './wake-ups.ts'

/**
 * Wake-ups to come, in the memory of the process that asked for them last. The row has the same time, and a sweep finds
 * it some seconds late where this process is gone by then: so a wake-up that something else overtakes costs the engine
 * nothing.
 */
export interface Timers {
  /**
   * Sends the message after so many milliseconds of the clock, instead of the one that was to be sent to the same
   * record.
   */
  set(message: Message, delayMs: number): void
  /** Nothing is to be sent to the record any more: it is over. */
  clear(record: Pick<Message, 'service' | 'key'>): void
  /** Whatever is to come is left to the sweep. */
  stop(): void
}

/** As far ahead as the timers of JavaScript reach, some 24 days; a sweep finds what comes later. Real ms. */
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
      const timer = apart(() => setTimeout(fire, realMs))
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
