import { Gauge } from 'prom-client'
import type { EngineConnection } from '../engine/engine.ts'
import type { Metrics } from './metrics.ts'

/** Counts the messages that are sent to the engine, and exports when the engine last called the worker. */
export function measureEngine(engine: EngineConnection, { messages, registry }: Metrics): EngineConnection {
  new Gauge({
    name: 'sluice_worker_last_message_timestamp_seconds',
    help: 'When the worker of this process last ended a call of the engine; 0 before the first.',
    registers: [registry],
    collect() {
      this.set((engine.lastMessageAt()?.getTime() ?? 0) / 1_000)
    },
  })
  return {
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
  }
}
