import { startRounds } from '../rounds.ts'
import type { EngineAddress } from './address.ts'
import { isRegistered, registerWorker } from './register.ts'
import { startWorker, type Worker, type WorkerSettings } from './worker.ts'

export interface KnownWorkerSettings extends WorkerSettings {
  admin: EngineAddress
  /** Where the engine reaches the worker, if not where it listens. */
  url?: string
  /** See `Registration`. */
  isOnlyWorker: boolean
}

/** A worker that its engine knows, or soon will: it is registered, and registered again if the engine forgot it. */
export interface KnownWorker {
  /** When it is registered for the first time, or stopped before. */
  registered: Promise<void>
  /** Whether the engine knows it right now. Never rejects. */
  isKnown(): Promise<boolean>
  lastMessageAt: Worker['lastMessageAt']
  stop(): Promise<void>
}

/** How long a registration that went missing can stay so. One look is one small request. */
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
    if (wasKnown) log.error('the engine does not know the worker any more; registering it again')
    wasKnown = false
    await registerWorker(registration)
    if (!(await isRegistered(registration))) throw new Error('a worker of another version answered at the address')
    wasKnown = true
    resolve()
  }
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'it is not certain that the engine knows the worker; looking again in 2 s')

  const first = makeKnown().catch(onError)
  const rounds = startRounds(() => first.then(makeKnown), { everyMs: lookEveryMs, onError })
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
