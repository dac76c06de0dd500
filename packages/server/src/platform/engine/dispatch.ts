import type { Logger } from 'pino'
import { runOutsideTrace } from '../traces/present.ts'
import type { Engine } from './client.ts'
import { inTrace, type Message } from './messages.ts'
import { notifyEngine } from './tell.ts'

/** Sends messages in the background, so that responses do not wait for the engine. */
export interface Dispatch {
  /** Sends a message soon. Logs a failure; the sweep of its row sends it again. */
  soon(message: Message): void
  /** Resolves when all messages are sent or have failed. */
  settled(): Promise<void>
}

/** Maximum number of concurrent messages. More would not be faster, because the engine syncs them to its disk. */
const mostAtOnce = 32
/** Maximum number of waiting messages. Beyond it a sweep is as fast. */
const mostWaiting = 10_000

/** Creates a dispatcher. `send` must not reject. */
export function createDispatch(
  { engine, log }: { engine: Engine; log: Logger },
  send: (message: Message) => Promise<void> = (message) => notifyEngine({ engine, log }, [message]),
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
        return log.warn({ message }, 'the engine is far behind; the reconciler will send the message')
      waiting.push(inTrace(message))
      if (lines.size === mostAtOnce) return
      const line = runOutsideTrace(sendAllThatWait).finally(() => lines.delete(line))
      lines.add(line)
    },
    settled: async () => void (await Promise.all(lines)),
  }
}
