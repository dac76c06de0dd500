import { isFinal } from './machine.ts'
import { msUntilDue } from './standing.ts'
import type { Loaded } from './store.ts'

/** A deployment as it was loaded, or as it was written then. */
export type Reading = Loaded & {
  /** When it was asked for, or its write was, on the clock of `performance`: what it says is no older. */
  readAt: number
}

/** So long after it was loaded it is loaded anew: the way into the cloud account may be another one. Milliseconds. */
const rememberedMs = 60_000

/** Each some 30 kB. More do not run in a process at a time, unless it has more to do than it can. */
const mostRemembered = 500

/**
 * Deployments as this process has written them last, for looks at them that follow soon: such a look need not load what
 * was just written. Whether it is still so is found out when what came of the look is written.
 */
export class RecentReadings {
  /** Without a reading where another process writes it as well, so that ours would seldom be the latest. */
  readonly #known = new Map<string, { reading: Reading | undefined; untilMs: number }>()

  find(id: string): Reading | undefined {
    return this.#findKnown(id)?.reading
  }

  /** As it was written last. */
  add(reading: Reading, now: Date): void {
    const { id, status } = reading.row
    const known = this.#findKnown(id)
    if (known && known.reading === undefined) return
    this.#known.delete(id)
    if (isFinal(status) || msUntilDue(reading.row, now) > rememberedMs) return
    this.#keep(id, { reading, untilMs: known?.untilMs ?? performance.now() + rememberedMs })
  }

  /** Another process has written it meanwhile. */
  isWrittenElsewhere(id: string): void {
    this.#keep(id, { reading: undefined, untilMs: performance.now() + rememberedMs })
  }

  #findKnown(id: string) {
    const known = this.#known.get(id)
    if (!known || performance.now() < known.untilMs) return known
    this.#known.delete(id)
    return undefined
  }

  #keep(id: string, one: { reading: Reading | undefined; untilMs: number }): void {
    this.#known.delete(id)
    this.#known.set(id, one)
    // Those that were added first; most often nobody looks at them any more.
    for (const [oldest, { untilMs }] of this.#known) {
      if (untilMs > performance.now() && this.#known.size <= mostRemembered) break
      this.#known.delete(oldest)
    }
  }
}
