import { startPeriodicTask } from '../rounds.ts'
import type { EngineAddress } from './address.ts'
import { isRegistered, registerWorker } from './register.ts'
import { startWorker, type Worker, type WorkerSettings } from './worker.ts'

export interface KnownWorkerSettings extends WorkerSettings {
  admin: EngineAddress
  /** Address of the worker for the engine, if it differs from where it listens. */
  url?: string
  /** See `Registration`. */
  isOnlyWorker: boolean
}

/** Worker that is registered with its engine, and registered again if the engine forgets it. */
export interface KnownWorker {
  /** Resolves at the first registration, or when it is stopped before. */
  registered: Promise<void>
  /** Reports whether the engine knows the worker now. Never rejects. */
  isKnown(): Promise<boolean>
  lastMessageAt: Worker['lastMessageAt']
  stop(): Promise<void>
}

/** Interval of checks for a lost registration, in milliseconds. A check is one small request. */
const lookEveryMs = 2_000

export async function startKnownWorker(settings: KnownWorkerSettings): Promise<KnownWorker> {
  const { admin, isOnlyWorker, log } = settings
  const worker = await startWorker(settings)
  const serviceNames = settings.services.map(({ name }) => name)
  const registration = { admin, workerUrl: settings.url ?? worker.url, serviceNames, isOnlyWorker }
  const { promise: registered, resolve } = Promise.withResolvers<void>()
  let wasKnown = false

  async function makeKnown(): Promise<void> {
    if (wasKnown && (await isRegistered(registration))) return
    if (wasKnown) log.error('the engine no longer knows the worker; registering it again')
    wasKnown = false
    await registerWorker(registration)
    if (!(await isRegistered(registration))) throw new Error('a worker of another version answered at the address')
    wasKnown = true
    resolve()
  }
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'it is not certain that the engine knows the worker; looking again in 2 s')

  const first = makeKnown().catch(onError)
  const rounds = startPeriodicTask(() => first.then(makeKnown), { everyMs: lookEveryMs, onError })
  return {
    registered,
    isKnown: () => isRegistered(registration).catch(() => false),
    lastMessageAt: worker.lastMessageAt,
    async stop() {
      await first
      await rounds.stop()
      resolve()
      await worker.stop()
    },
  }
}
