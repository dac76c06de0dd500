import { LRUCache } from 'lru-cache'
import type { Loaded } from '../store/store.ts'
import { isFinal } from './machine.ts'
import { msUntilDue } from './state.ts'

/** A deployment as it was loaded, or as this process wrote it then. Times are on the clock of `performance`. */
export type Reading = Pick<Loaded, 'row' | 'account'> & {
  /** When it was asked for, or its write was: what it says is no older. */
  readAt: number
  /** When it was asked for: the way into the cloud account is no older. */
  loadedAt: number
}

/** So long after it was loaded it is loaded anew: the way into the cloud account may be another one. Milliseconds. */
const ttlMs = 60_000

/** Each some 30 kB. More do not run in a process at a time, unless it has more to do than it can. */
const max = 500

/**
 * Deployments as this process has written them last, for looks at them that follow soon: such a look need not load what
 * was just written. It may be outdated, so nothing may come of it but a write that is refused then, or a look at what
 * is in the database.
 */
export class RecentReadings {
  /** Without a reading where another process writes it as well, so that ours would seldom be the latest. */
  readonly #known = new LRUCache<string, { reading: Reading | undefined }>({
    max,
    ttlResolution: 0,
    perf: { now: () => performance.now() },
  })

  find(id: string): Reading | undefined {
    return this.#known.get(id)?.reading
  }

  /** As it was written, or read; what is known of it may be later than that. */
  add(reading: Reading, now: Date): void {
    const { id, status, revision } = reading.row
    const known = this.find(id)
    if (this.#isWrittenElsewhere(id) || (known && known.row.revision > revision)) return
    this.#known.delete(id)
    if (isFinal(status) || msUntilDue(reading.row, now) > ttlMs) return
    this.#known.set(id, { reading }, { ttl: ttlMs, start: reading.loadedAt })
  }

  /** This process is about to write it. */
  forget(id: string): void {
    if (!this.#isWrittenElsewhere(id)) this.#known.delete(id)
  }

  /** It turned out not to be the latest. Where this process knows nothing newer, another one writes it as well. */
  isOutdated(reading: Reading): void {
    const { id } = reading.row
    if (this.find(id) === reading) this.#known.set(id, { reading: undefined }, { ttl: ttlMs })
  }

  #isWrittenElsewhere(id: string): boolean {
    const known = this.#known.get(id)
    return known !== undefined && known.reading === undefined
  }
}
