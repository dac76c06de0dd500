import { join } from 'node:path'
import type { Logger } from 'pino'
import type { EngineAddress } from './address.ts'
import { connectEngine, type Engine } from './client.ts'
import { startEmbeddedEngine } from './embedded.ts'
import { openEngineIdentity } from './identity.ts'
import { type KnownWorker, startKnownWorker } from './known-worker.ts'
import type { Services, WorkerSettings } from './worker.ts'

/** The engine as this process uses it: messages go out through it, and `serve` lets it call our handlers. */
export interface EngineConnection extends Engine {
  /** Starts the worker role: serves the handlers and makes them known to the engine. */
  serve(services: Services): Promise<void>
  /** Whether the engine can call what this process serves; undefined where it serves nothing. Never rejects. */
  knowsWorker(): Promise<boolean | undefined>
  /** Drains the worker, then ends an embedded engine. */
  stop(): Promise<void>
}

/** An engine of our own, started as a child process. */
export interface EmbeddedEngineOptions {
  /** Everything of the engine's lies here. */
  directory: string
  worker: Pick<WorkerSettings, 'host' | 'port' | 'finishMs' | 'spans'>
  log: Logger
}

/** An engine that runs elsewhere. */
export interface ExternalEngineOptions {
  ingress: EngineAddress
  admin: EngineAddress
  /** `url` is where the engine reaches the worker; `identityKeys` are the engines it obeys. */
  worker: Pick<WorkerSettings, 'host' | 'port' | 'identityKeys' | 'finishMs' | 'spans'> & { url: string }
  log: Logger
}

/** Starts our own engine; resolves once it takes messages. */
export async function openEmbeddedEngine({ directory, worker, log }: EmbeddedEngineOptions): Promise<EngineConnection> {
  const identity = await openEngineIdentity(join(directory, 'identity.pem'))
  const { ingress, admin, stop } = await startEmbeddedEngine({ directory, identityKeyFile: identity.keyFile, log })
  let known: KnownWorker | undefined
  return {
    ...connectEngine(ingress),
    async serve(services) {
      const identityKeys = [identity.publicKey]
      known = await startKnownWorker({ ...worker, services, identityKeys, admin, isOnlyWorker: true, log })
      await known.registered
    },
    knowsWorker: async () => known?.isKnown(),
    async stop() {
      await known?.stop()
      await stop()
    },
  }
}

/** Uses an engine that runs elsewhere. It need not be there yet: the worker is registered as soon as it is. */
export function openExternalEngine({ ingress, admin, worker, log }: ExternalEngineOptions): EngineConnection {
  let known: KnownWorker | undefined
  return {
    ...connectEngine(ingress),
    async serve(services) {
      known = await startKnownWorker({ ...worker, services, admin, isOnlyWorker: false, log })
    },
    knowsWorker: async () => known?.isKnown(),
    stop: async () => known?.stop(),
  }
}
