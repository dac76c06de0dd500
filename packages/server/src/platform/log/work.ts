import { AsyncLocalStorage } from 'node:async_hooks'

/** Id of the current work: an API request, an invocation by the engine, or a wake-up of a record. */
export type WorkIds = { reqId: string } | { engineRunId: string } | { lookAt: string }

const present = new AsyncLocalStorage<WorkIds>()

/** Runs work in a context, so that log lines written in it can name what triggered them. */
export const workingOn = <T>(ids: WorkIds, work: () => T): T => present.run(ids, work)

/** Returns the ids of the current work, or undefined outside of any. */
export const workIds = (): WorkIds | undefined => present.getStore()
