import type { Logger } from 'pino'
import { deploymentService } from '../../delivery/deployments/wake.ts'
import type { Engine } from '../../platform/engine/client.ts'
import type { Message } from '../../platform/engine/messages.ts'
import type { Told } from './look.ts'
import { runService, stepService } from './wake.ts'

/** What the engine is told of what became of a run. */
export const messagesOf = ({ runs = [], steps = [], deployments = [] }: Partial<Told>): Message[] => [
  ...runs.map((key) => ({ service: runService, key, handler: 'advance' })),
  ...steps.map((key) => ({ service: stepService, key, handler: 'advance' })),
  ...deployments.map((key) => ({ service: deploymentService, key, handler: 'advance' })),
]

/**
 * Sends messages from outside of the engine. The rows are the truth and a sweep finds them; a message that does not go
 * out only makes it later.
 */
export async function tellEngine(
  { engine, log }: { engine: Engine; log: Logger },
  messages: readonly Message[],
): Promise<void> {
  await Promise.all(
    messages.map(({ service, key, handler, payload = {} }) =>
      engine
        .send(service, key, handler, payload)
        .catch((error) => log.warn({ err: error, service, key }, 'the engine was not told; the sweep will')),
    ),
  )
}
