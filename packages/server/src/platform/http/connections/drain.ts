import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../app.ts'

/** State of a process that drains before it stops: it answers requests but reports that it is not ready. */
export class Drain {
  readonly #graceMs: number
  #isUnderWay = false

  constructor(graceMs: number) {
    this.#graceMs = graceMs
  }

  get isUnderWay(): boolean {
    return this.#isUnderWay
  }

  /** Marks the process as not ready, and resolves after the grace period in which load balancers notice. */
  async begin(): Promise<void> {
    this.#isUnderWay = true
    if (this.#graceMs > 0) await sleep(this.#graceMs)
  }
}

/**
 * Closes each connection after its next response while the process drains. A client that kept it until the stop could
 * lose a request that it sends at that moment.
 */
export function closeConnections(app: App, drain: Drain): void {
  app.addHook('onRequest', (_request, reply, done) => {
    if (drain.isUnderWay) reply.header('connection', 'close')
    done()
  })
}
