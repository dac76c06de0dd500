import { EventEmitter, once } from 'node:events'
import type { Change } from '@sluice/contract'
import type { Position } from './position.ts'
import type { NotedChange } from './store.ts'

/** What a follower is to be told next: what changed, or that it must read everything anew. */
export type News = { position: Position; changes: Change[]; isReset: boolean }

/** More than that is cheaper to read anew as a whole; it is also what a slow reader can hold at most. */
const mostPending = 1_000

/** Somebody who follows the changes of one organization, with what there is to tell. */
export class Follower {
  readonly organizationId: string
  #position: Position
  /** The latest change of each record. */
  #pending = new Map<string, Change>()
  #isReset: boolean
  /** What was told of transactions that may still be read again. */
  #told = new Set<string>()
  readonly #bell = new EventEmitter()

  /** Goes on from `from`; without, it begins at `present`, and whatever was read before may be old. */
  constructor(organizationId: string, present: Position, from: Position | undefined) {
    this.organizationId = organizationId
    this.#position = from ?? present
    this.#isReset = from === undefined
  }

  /** Where changes are to be read from for this follower. */
  get since(): bigint {
    return this.#position.transactionId
  }

  /** Takes what was read from `since` or before it, up to `position`. */
  take(noted: readonly NotedChange[], position: Position): void {
    const own = noted.filter((one) => one.organizationId === this.organizationId && one.transactionId >= this.since)
    for (const one of own) if (!this.#told.has(keyOf(one))) this.#pending.set(one.id, toWire(one))
    this.#told = new Set(own.filter((one) => one.transactionId >= position.transactionId).map(keyOf))
    this.#position = position
    if (this.#pending.size > mostPending) {
      this.#pending.clear()
      this.#isReset = true
    }
    if (this.#hasNews()) this.#bell.emit('news')
  }

  /** Waits for news, for so long at most. */
  async wait(withinMs: number, signal: AbortSignal): Promise<void> {
    if (this.#hasNews()) return
    const end = AbortSignal.any([signal, AbortSignal.timeout(withinMs)])
    await once(this.#bell, 'news', { signal: end }).catch(() => {})
  }

  /** What there is to tell, once. */
  news(): News {
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
