import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../../platform/http/app.ts'
import type { LooksPace } from './shared-looks.ts'

/** How looks tell the time and wait for their turn; one that waits does not keep the server from ending. */
export function waitingIn(app: App, clock: () => Date): Pick<LooksPace, 'now' | 'wait' | 'clock'> {
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  return {
    now: () => performance.now(),
    wait: (ms) => sleep(ms, undefined, { signal: closing.signal }).catch(() => {}),
    clock,
  }
}
