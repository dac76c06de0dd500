import { expect } from 'vitest'
import type { Watcher } from './gateway.ts'
import type { ServiceProcess } from './service-process.ts'

/** Releases for as long as there are moments left to be killed at. `moment` counts from 1. */
export type Rounds<Prepared> = {
  /** What goes before a release and is not watched. */
  prepare?: (moment: number) => Promise<Prepared>
  release: (moment: number, prepared: Prepared) => Promise<void>
}

/**
 * The moments of a release at which the cloud has done a call and the service does not know yet. The same call again at
 * once is no moment of its own: the service only looks whether something has changed. But a PUT changes something
 * itself.
 */
export class Moments implements Watcher {
  #fatal = Number.POSITIVE_INFINITY
  #seen = 0
  #lastOperation = ''
  #service: ServiceProcess | undefined

  done(operation: string): void {
    if (operation === this.#lastOperation && !operation.startsWith('PUT ')) return
    this.#lastOperation = operation
    this.#seen += 1
    if (this.#seen === this.#fatal) void this.#service?.kill('service').then(() => this.#service?.start())
  }

  /** Does a release for each of its moments and kills the service there, until one has fewer moments than that. */
  async killAtEach<Prepared>(service: ServiceProcess, { prepare, release }: Rounds<Prepared>): Promise<void> {
    this.#service = service
    for (let moment = 1; ; moment += 1) {
      this.#fatal = Number.POSITIVE_INFINITY
      const prepared = (await prepare?.(moment)) as Prepared
      this.#seen = 0
      this.#lastOperation = ''
      this.#fatal = moment
      await release(moment, prepared)
      if (this.#seen < moment) break
    }
    this.#fatal = Number.POSITIVE_INFINITY
    console.log(`killed at each of ${service.kills} moments`)
  }
}

/** Changes that the cloud never hears of: the service is killed in their stead. */
export class NeverHeard implements Watcher {
  #fatal: RegExp | undefined
  #service: ServiceProcess | undefined

  sent(operation: string): boolean {
    if (!this.#fatal?.test(operation)) return true
    this.#fatal = undefined
    void this.#service?.kill('service').then(() => this.#service?.start())
    return false
  }

  /** Does a release for each of the changes, which is lost once in it. */
  async killInsteadOfEach(
    service: ServiceProcess,
    changes: readonly RegExp[],
    release: (change: RegExp, index: number) => Promise<void>,
  ): Promise<void> {
    this.#service = service
    for (const [index, change] of changes.entries()) {
      this.#fatal = change
      await release(change, index)
    }
    expect(service.kills, 'a kill for each change').toBe(changes.length)
  }
}
