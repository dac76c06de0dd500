import type { Logger } from 'pino'
import type { Engine } from './client.ts'
import { inTrace, type Message } from './messages.ts'

/** Sends a message from outside of the engine. Rejects if the engine does not accept it. */
export function sendToEngine(engine: Engine, message: Message): Promise<string> {
  const { service, key, handler, payload = {}, ...options } = inTrace(message)
  return engine.send(service, key, handler, payload, options)
}

/** Sends messages from outside of the engine. Failures only delay them, because a sweep sends them from their rows. */
export async function notifyEngine(
  { engine, log }: { engine: Engine; log: Logger },
  messages: readonly Message[],
): Promise<void> {
  await Promise.all(
    messages.map((message) => {
      const { service, key } = message
      return sendToEngine(engine, message).catch((error) =>
        log.warn(
          { err: error, service, key },
          'a message could not be sent to the engine; the reconciler will send it',
        ),
      )
    }),
  )
}
