import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../../platform/http/app.ts'
import type { ObservationCacheOptions } from './observation-cache.ts'

/** Returns the clocks and the wait function for shared reads. A waiting read does not delay shutdown. */
export function clocksFor(app: App, clock: () => Date): Pick<ObservationCacheOptions, 'now' | 'wait' | 'clock'> {
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  return {
    now: () => performance.now(),
    wait: (ms) => sleep(ms, undefined, { signal: closing.signal }).catch(() => {}),
    clock,
  }
}
