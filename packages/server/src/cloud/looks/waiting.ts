import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../../platform/http/app.ts'
import type { LooksPace } from './shared-looks.ts'

/** Returns the clocks and the wait function for shared reads. A waiting read does not delay shutdown. */
export function waitingIn(app: App, clock: () => Date): Pick<LooksPace, 'now' | 'wait' | 'clock'> {
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  return {
    now: () => performance.now(),
    wait: (ms) => sleep(ms, undefined, { signal: closing.signal }).catch(() => {}),
    clock,
  }
}
