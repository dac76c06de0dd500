import { Worker } from 'node:worker_threads'

/** Number of cores that the limits of suites were chosen for. */
const cores = 2
/** Time that {@link probe} takes on that many idle cores of the reference machine, in milliseconds. */
const referenceMs = 800
/** Largest factor of the limits: with it, the gate ends within 75 minutes. */
const maxSlowness = 2.5

/**
 * Returns how many times as long as on the reference machine a suite may take here, from 1 to 2.5. Limits are
 * multiplied by it, so that a slow or busy machine does not cut suites that make progress.
 */
export async function slowness(): Promise<number> {
  return slownessOf(await Promise.all(Array.from({ length: cores }, probe)))
}

/** Returns the factor for the times that concurrent probes took. */
export function slownessOf(timesMs: readonly number[]): number {
  const factor = Math.max(...timesMs) / referenceMs
  return Math.min(maxSlowness, Math.max(1, Math.round(factor * 10) / 10))
}

/** Program of a probe: a fixed amount of work, long enough to get no more than its share of a busy core. */
const work = `
  const startedAt = performance.now()
  let sum = 0
  ;(() => { for (let i = 0; i < 5e8; i++) sum += i })()
  require('node:worker_threads').parentPort.postMessage(performance.now() - startedAt)
`

/** Returns the wall time of the work in a thread of its own, in milliseconds. */
function probe(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  new Worker(work, { eval: true }).once('message', resolve).once('error', reject)
  return promise
}
