import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../app.ts'

/** The last while of a process that others take over from: it answers, and says that nobody is to come any more. */
export class Drain {
  readonly #graceMs: number
  #isUnderWay = false

  constructor(graceMs: number) {
    this.#graceMs = graceMs
  }

  get isUnderWay(): boolean {
    return this.#isUnderWay
  }

  /** From now on the process is not ready; resolves when whoever looks at that has had the time to see it. */
  async begin(): Promise<void> {
    this.#isUnderWay = true
    if (this.#graceMs > 0) await sleep(this.#graceMs)
  }
}

/**
 * Has clients let go of their connections while the process drains, each with its next answer: one that is kept until
 * the end may be closed in the moment in which something is asked on it.
 */
export function letGoOfConnections(app: App, drain: Drain): void {
  app.addHook('onRequest', (_request, reply, done) => {
    if (drain.isUnderWay) reply.header('connection', 'close')
    done()
  })
}
