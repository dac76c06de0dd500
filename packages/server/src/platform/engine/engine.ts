import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { connectEngine, type Engine } from './client.ts'
import { startEmbeddedEngine } from './embedded.ts'
import { openEngineIdentity } from './identity.ts'
import { type Registration, registerWorker } from './register.ts'
import type { EnginePorts } from './server-process.ts'
import { type Services, startWorker, type Worker } from './worker.ts'

/** The engine as this process uses it: messages go out through it, and `serve` lets it call our handlers. */
export interface EngineConnection extends Engine {
  /** Starts the worker role: serves the handlers and makes them known to the engine. */
  serve(services: Services): Promise<void>
  /** Drains the worker, then ends an embedded engine. */
  stop(): Promise<void>
}

/** An engine of our own, started as a child process. */
export interface EmbeddedEngineOptions {
  /** Everything of the engine's lies here. */
  directory: string
  ports: EnginePorts
  worker: { host: string; port: number }
  log: Logger
}

/** An engine that runs elsewhere. */
export interface ExternalEngineOptions {
  ingressUrl: string
  adminUrl: string
  /** `url` is where the engine reaches the worker; `identityKeys` are the engines it obeys. */
  worker: { host: string; port: number; url: string; identityKeys: string[] }
  log: Logger
}

/** Starts our own engine; resolves once it takes messages. */
export async function openEmbeddedEngine(options: EmbeddedEngineOptions): Promise<EngineConnection> {
  const { directory, ports, log } = options
  const stopping = new AbortController()
  const identity = await openEngineIdentity(join(directory, 'identity.pem'))
  let worker: Worker | undefined
  let registered: Promise<void> | undefined
  const embedded = await startEmbeddedEngine({
    directory,
    ports,
    identityKeyFile: identity.keyFile,
    log,
    onRestart() {
      if (worker) registered = register(worker)
    },
  })
  const register = ({ url }: Worker) =>
    registerUntilDone({ adminUrl: embedded.adminUrl, workerUrl: url, isOnlyWorker: true }, log, stopping.signal)
  return {
    ...connectEngine(embedded.ingressUrl),
    async serve(services) {
      worker = await startWorker({ ...options.worker, services, identityKeys: [identity.publicKey], log })
      registered = register(worker)
      await registered
    },
    async stop() {
      stopping.abort()
      await registered
      await worker?.stop()
      await embedded.stop()
    },
  }
}

/** Uses an engine that runs elsewhere. It need not be there yet: the worker is registered as soon as it is. */
export function openExternalEngine({ ingressUrl, adminUrl, ...options }: ExternalEngineOptions): EngineConnection {
  const stopping = new AbortController()
  let worker: Worker | undefined
  let registered: Promise<void> | undefined
  return {
    ...connectEngine(ingressUrl),
    async serve(services) {
      worker = await startWorker({ ...options.worker, services, log: options.log })
      const registration = { adminUrl, workerUrl: options.worker.url, isOnlyWorker: false }
      registered = registerUntilDone(registration, options.log, stopping.signal)
    },
    async stop() {
      stopping.abort()
      await registered
      await worker?.stop()
    },
  }
}

const registerAgainMs = 2_000

async function registerUntilDone(registration: Registration, log: Logger, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      return await registerWorker(registration)
    } catch (error) {
      log.warn({ err: error }, 'the worker is not registered with the engine yet; trying again in 2 s')
      await sleep(registerAgainMs, undefined, { signal: stopping }).catch(() => {})
    }
  }
}
