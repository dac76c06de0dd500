import { setTimeout as sleep } from 'node:timers/promises'
import { CloudTransientError, NoCredentials } from './cloud-call.ts'

/** Delays before further attempts, in milliseconds: short enough for a runner that waits for the response. */
const defaultDelaysMs = [500, 1_000, 2_000]

/**
 * Repeats a call after transient errors. For work that nothing else repeats, such as that of a step; handlers of the
 * engine are repeated anyway. The cloud may receive the call several times.
 * @throws the last error
 */
export async function retryTransient<T>(call: () => Promise<T>, delaysMs = defaultDelaysMs): Promise<T> {
  for (const delayMs of delaysMs) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof CloudTransientError) || error instanceof NoCredentials) throw error
      await sleep(delayMs * (0.5 + Math.random()))
    }
  }
  return call()
}
