import { LRUCache } from 'lru-cache'
import type { LoadedDeployment } from '../store/store.ts'
import { isFinal } from './machine.ts'
import { msUntilDue } from './state.ts'

/** Deployment as loaded, or as this process wrote it afterwards. Times are on the clock of `performance`. */
export type RecentRead = Pick<LoadedDeployment, 'row' | 'account'> & {
  /** When the read or the write started: the row is at least this recent. */
  readAt: number
  /** When the load started: the access to the cloud account is at least this recent. */
  loadedAt: number
}

/** Maximum age of a cached deployment, in milliseconds, because the access to its cloud account may change. */
const ttlMs = 60_000

/** Maximum number of cached deployments, of about 30 kB each. A process rarely has more active ones at a time. */
const max = 500

/**
 * Cache of the deployments that this process wrote last, so that a poll that follows soon need not load them. A cached
 * row may be outdated, so that it may only lead to a conditional write or to a poll of the stored row.
 */
export class RecentReads {
  /**
   * Has an entry without a reading for a deployment that another process writes as well, because ours would rarely be
   * the latest.
   */
  readonly #known = new LRUCache<string, { reading: RecentRead | undefined }>({
    max,
    ttlResolution: 0,
    perf: { now: () => performance.now() },
  })

  find(id: string): RecentRead | undefined {
    return this.#known.get(id)?.reading
  }

  /** Caches the deployment as written or read. Its data may be more recent than `readAt`. */
  add(reading: RecentRead, now: Date): void {
    const { id, status, revision } = reading.row
    const known = this.find(id)
    if (this.#isWrittenElsewhere(id) || (known && known.row.revision > revision)) return
    this.#known.delete(id)
    if (isFinal(status) || msUntilDue(reading.row, now) > ttlMs) return
    this.#known.set(id, { reading }, { ttl: ttlMs, start: reading.loadedAt })
  }

  /** Removes a deployment that this process is about to write. */
  forget(id: string): void {
    if (!this.#isWrittenElsewhere(id)) this.#known.delete(id)
  }

  /**
   * Marks a cached deployment as outdated. If this process has no newer one, another process writes the deployment as
   * well.
   */
  isOutdated(reading: RecentRead): void {
    const { id } = reading.row
    if (this.find(id) === reading) this.#known.set(id, { reading: undefined }, { ttl: ttlMs })
  }

  #isWrittenElsewhere(id: string): boolean {
    const known = this.#known.get(id)
    return known !== undefined && known.reading === undefined
  }
}
