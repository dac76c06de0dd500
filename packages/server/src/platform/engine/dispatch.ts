import type { Logger } from 'pino'
import { apart } from '../traces/present.ts'
import type { Engine } from './client.ts'
import { inTrace, type Message } from './messages.ts'
import { tellEngine } from './tell.ts'

/** Sends messages behind the answers to requests: nobody waits for the engine. */
export interface Dispatch {
  /** Sends a message soon. One that does not go out is logged; the sweep of the row that caused it sends it again. */
  soon(message: Message): void
  /** When all that were to be sent are, or failed. */
  settled(): Promise<void>
}

/** More at once do not reach the engine sooner: it syncs what it takes to its disk. */
const mostAtOnce = 32
/** Beyond this, the engine is so far behind that a sweep is as soon. */
const mostWaiting = 10_000

/** `send` does not fail. */
export function createDispatch(
  { engine, log }: { engine: Engine; log: Logger },
  send: (message: Message) => Promise<void> = (message) => tellEngine({ engine, log }, [message]),
): Dispatch {
  const waiting: Message[] = []
  const lines = new Set<Promise<void>>()

  async function sendAllThatWait(): Promise<void> {
    for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
      await send(message)
    }
  }

  return {
    soon(message) {
      if (waiting.length === mostWaiting)
        return log.warn({ message }, 'the engine is far behind; the sweep will tell it')
      waiting.push(inTrace(message))
      if (lines.size === mostAtOnce) return
      const line = apart(sendAllThatWait).finally(() => lines.delete(line))
      lines.add(line)
    },
    settled: async () => void (await Promise.all(lines)),
  }
}
