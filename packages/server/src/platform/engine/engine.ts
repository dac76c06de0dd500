import { join } from 'node:path'
import type { Logger } from 'pino'
import type { EngineAddress } from './address.ts'
import { listActiveKeys } from './admin.ts'
import { connectEngine, type Engine } from './client.ts'
import { startEmbeddedEngine } from './embedded.ts'
import { openEngineIdentity } from './identity.ts'
import { type KnownWorker, type KnownWorkerSettings, startKnownWorker } from './known-worker.ts'
import type { Services, WorkerSettings } from './worker.ts'

/** Engine of this process: sends messages, and calls our handlers after `serve`. */
export interface EngineConnection extends Engine {
  /** Starts the worker role: serves the handlers and registers them with the engine. */
  serve(services: Services): Promise<void>
  /** Ends the worker role: running calls finish, and the engine calls other workers. `serve` may follow. */
  withdraw(): Promise<void>
  /** Reports whether the engine can call this process; undefined if it serves nothing. Never rejects. */
  knowsWorker(): Promise<boolean | undefined>
  /** Returns the end of the engine's last call; undefined before the first. */
  lastMessageAt(): Date | undefined
  /** Returns the keys of the object `service` with a waiting or running message. */
  activeKeys(service: string, keys: readonly string[]): Promise<ReadonlySet<string>>
  /** Drains the worker, then stops an embedded engine. */
  stop(): Promise<void>
}

/** Options of an engine that runs as a child process. */
export interface EmbeddedEngineOptions {
  /** Directory for all data of the engine. */
  directory: string
  worker: Pick<WorkerSettings, 'host' | 'port' | 'finishMs' | 'spans'>
  log: Logger
}

/** Options of an engine that runs elsewhere. */
export interface ExternalEngineOptions {
  ingress: EngineAddress
  admin: EngineAddress
  /** Settings of the worker. `url` is its address for the engine; `identityKeys` are the engines that it obeys. */
  worker: Pick<WorkerSettings, 'host' | 'port' | 'identityKeys' | 'finishMs' | 'spans'> & { url: string }
  log: Logger
}

/** Starts an embedded engine. Resolves when it accepts messages. */
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

/** Connects to an engine that runs elsewhere. It need not run yet: the worker is registered as soon as it does. */
export function openExternalEngine({ ingress, admin, worker, log }: ExternalEngineOptions): EngineConnection {
  const role = workerRole({ ...worker, admin, isOnlyWorker: false, log })
  return {
    ...connectEngine(ingress),
    ...role,
    serve: async (services) => void (await role.serve(services)),
    stop: role.withdraw,
  }
}

/** Starts and stops the worker role of a process. */
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
