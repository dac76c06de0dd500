import type { Engine } from '../engine/client.ts'
import type { Metrics } from './metrics.ts'

/** Counts the messages that features hand to the engine. */
export const measureEngine = <E extends Engine>(engine: E, { messages }: Metrics): E => ({
  ...engine,
  async send(object, ...rest) {
    const end = messages.startTimer({ object })
    try {
      const id = await engine.send(object, ...rest)
      end({ result: 'ok' })
      return id
    } catch (error) {
      end({ result: 'failed' })
      throw error
    }
  },
})
