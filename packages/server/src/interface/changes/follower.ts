import { EventEmitter, once } from 'node:events'
import type { Change } from '@sluice/contract'
import type { Position } from './position.ts'
import type { NotedChange } from './store.ts'

/** Next event of a follower: changes, or a reset after which the client must read everything again. */
export type ChangeBatch = { position: Position; changes: Change[]; isReset: boolean }

/**
 * Maximum number of pending changes. With more, reading everything again is cheaper; also limits the memory for a slow
 * client.
 */
const maxPending = 1_000

/** Follower of an organization's changes, with its pending ones. */
export class Follower {
  readonly organizationId: string
  #position: Position
  /** Latest change of each record. */
  #pending = new Map<string, Change>()
  #isReset: boolean
  /** Keys of sent changes in transactions that will be read again. */
  #told = new Set<string>()
  readonly #bell = new EventEmitter()

  /** Continues after `from`; without it, starts at `present` with a reset, because earlier reads may be outdated. */
  constructor(organizationId: string, present: Position, from: Position | undefined) {
    this.organizationId = organizationId
    this.#position = from ?? present
    this.#isReset = from === undefined
  }

  /** Returns the position from which changes must be read for this follower. */
  get since(): bigint {
    return this.#position.transactionId
  }

  /** Adds the changes that were read from `since` or earlier, up to `position`. */
  take(noted: readonly NotedChange[], position: Position): void {
    const own = noted.filter((one) => one.organizationId === this.organizationId && one.transactionId >= this.since)
    for (const one of own) if (!this.#told.has(keyOf(one))) this.#pending.set(one.id, toWire(one))
    this.#told = new Set(own.filter((one) => one.transactionId >= position.transactionId).map(keyOf))
    this.#position = position
    if (this.#pending.size > maxPending) {
      this.#pending.clear()
      this.#isReset = true
    }
    if (this.#hasNews()) this.#bell.emit('news')
  }

  /** Waits for news or the timeout. */
  async wait(withinMs: number, signal: AbortSignal): Promise<void> {
    if (this.#hasNews()) return
    const end = AbortSignal.any([signal, AbortSignal.timeout(withinMs)])
    await once(this.#bell, 'news', { signal: end }).catch(() => {})
  }

  /** Returns the pending news and clears them. */
  news(): ChangeBatch {
    const news = { position: this.#position, changes: [...this.#pending.values()], isReset: this.#isReset }
    this.#pending.clear()
    this.#isReset = false
    return news
  }

  #hasNews(): boolean {
    return this.#isReset || this.#pending.size > 0
  }
}

const keyOf = ({ id, transactionId }: NotedChange): string => `${transactionId} ${id}`

const toWire = ({ resource, id, belongsTo, changedAt }: NotedChange): Change => ({
  resource,
  id,
  belongsTo,
  changedAt,
})
