import { join } from 'node:path'
import type { Logger } from 'pino'
import type { EngineAddress } from './address.ts'
import { listActiveKeys } from './admin.ts'
import { connectEngine, type Engine } from './client.ts'
import { startEmbeddedEngine } from './embedded.ts'
import { openEngineIdentity } from './identity.ts'
import { type KnownWorker, type KnownWorkerSettings, startKnownWorker } from './known-worker.ts'
import type { Services, WorkerSettings } from './worker.ts'

/** The engine as this process uses it: messages go out through it, and `serve` lets it call our handlers. */
export interface EngineConnection extends Engine {
  /** Starts the worker role: serves the handlers and makes them known to the engine. */
  serve(services: Services): Promise<void>
  /** Ends the worker role: calls in progress finish, and the engine calls other workers. `serve` may follow. */
  withdraw(): Promise<void>
  /** Whether the engine can call what this process serves; undefined where it serves nothing. Never rejects. */
  knowsWorker(): Promise<boolean | undefined>
  /** When the last call of the engine ended; undefined before the first. */
  lastMessageAt(): Date | undefined
  /** Which of these keys of the object `service` have a message that waits in the engine or runs. */
  activeKeys(service: string, keys: readonly string[]): Promise<ReadonlySet<string>>
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
  const identityKeys = [identity.publicKey]
  const role = workerRole({ ...worker, identityKeys, admin, isOnlyWorker: true, log })
  return {
    ...connectEngine(ingress),
    ...role,
    async serve(services) {
      const { registered } = await role.serve(services)
      await registered
    },
    async stop() {
      await role.withdraw()
      await stop()
    },
  }
}

/** Uses an engine that runs elsewhere. It need not be there yet: the worker is registered as soon as it is. */
export function openExternalEngine({ ingress, admin, worker, log }: ExternalEngineOptions): EngineConnection {
  const role = workerRole({ ...worker, admin, isOnlyWorker: false, log })
  return {
    ...connectEngine(ingress),
    ...role,
    serve: async (services) => void (await role.serve(services)),
    stop: role.withdraw,
  }
}

/** What a process does for the engine as a worker, while it is one. */
function workerRole(settings: Omit<KnownWorkerSettings, 'services'>) {
  let known: KnownWorker | undefined
  return {
    async serve(services: Services): Promise<KnownWorker> {
      known = await startKnownWorker({ ...settings, services })
      return known
    },
    async withdraw(): Promise<void> {
      await known?.stop()
      known = undefined
    },
    knowsWorker: async () => known?.isKnown(),
    lastMessageAt: () => known?.lastMessageAt(),
    activeKeys: (service: string, keys: readonly string[]) => listActiveKeys(settings.admin, service, keys),
  }
}
