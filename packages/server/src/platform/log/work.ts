import { AsyncLocalStorage } from 'node:async_hooks'

/** What is being done: a request, a message of the engine, a look at a record, by the names that others know it by. */
export type WorkIds = { reqId: string } | { engineRunId: string } | { lookAt: string }

const present = new AsyncLocalStorage<WorkIds>()

/** Does something, and lines that are written on the way can say by what it was set off. */
export const workingOn = <T>(ids: WorkIds, work: () => T): T => present.run(ids, work)

/** What is being done just now; nothing where it is neither. */
export const workIds = (): WorkIds | undefined => present.getStore()
