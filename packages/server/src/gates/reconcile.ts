import type { Logger } from 'pino'
import type { Db } from '../platform/db/open.ts'
import type { Engine } from '../platform/engine/client.ts'
import { createDispatch } from '../platform/engine/dispatch.ts'
import type { Message } from '../platform/engine/messages.ts'
import type { App } from '../platform/http/app.ts'

/** Part of an organization whose gates changed: an instance or an environment. */
type Part = { environmentId: string; moduleInstanceId: string | null }

/**
 * Has the queued deployments of an organization, or of a part of it, evaluated again because a gate changed. Returns
 * the messages to send after the commit.
 */
export type ReconcileDeployments = (tx: Db, organizationId: string, now: Date, part?: Part) => Promise<Message[]>

/** Has everything that waits in an organization evaluated again. Returns the messages to send after the commit. */
export type Reconcile = (tx: Db, organizationId: string, now: Date) => Promise<Message[]>

/**
 * Returns a function that has waiting deployments evaluated again because a gate changed. Its result must be called
 * after the commit.
 */
export function reconciling(
  app: App,
  { engine, log, clock }: { engine: Engine; log: Logger; clock: () => Date },
  ...all: readonly Reconcile[]
): (tx: Db, organizationId: string) => Promise<() => void> {
  const dispatch = createDispatch({ engine, log })
  app.addHook('onClose', dispatch.settled)
  return async (tx, organizationId) => {
    const now = clock()
    const messages: Message[] = []
    for (const reconcile of all) messages.push(...(await reconcile(tx, organizationId, now)))
    return () => {
      for (const message of messages) dispatch.soon(message)
    }
  }
}
