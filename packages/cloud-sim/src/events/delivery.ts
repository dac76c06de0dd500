import { setTimeout as sleep } from 'node:timers/promises'
import { chance } from '../chance.ts'
import { digits } from '../ids.ts'
import type { Row, Store, Table } from '../store.ts'
import type { World } from '../world.ts'

/** Key: account and URL. Where the events of an account are POSTed to. */
export interface DeliveryTarget extends Row {
  account: string
  url: string
  headers: Record<string, string>
}

/** Trouble on the way, for all targets and queues. `drop` and `duplicate` are probabilities. */
export interface DeliveryFaults {
  drop: number
  duplicate: number
  delayMs: number
  shuffle: boolean
}

interface Parcel extends Row {
  target: string
  body: string
  attempts: number
  /** Real time, epoch milliseconds: receivers are real programs and wait in real time. */
  createdAt: number
  dueAt: number
}

interface FaultsRow extends Row {
  faults: DeliveryFaults
}

/** What a receiver's answer means; good or bad, a final one is the last. */
interface Answer {
  isFinal: boolean
  retryAfterMs: number
}

const final: Answer = { isFinal: true, retryAfterMs: 0 }
const noFaults: DeliveryFaults = { drop: 0, duplicate: 0, delayMs: 0, shuffle: false }

// "API destinations as targets in Amazon EventBridge": an answer within 5 s; these statuses are retried, others final.
const answerTimeoutMs = 5_000
const isRetried = (status: number) => [401, 407, 409, 429].includes(status) || status >= 500
/** "How EventBridge retries delivering events": for 24 hours. */
const giveUpAfterMs = 24 * 3600 * 1000
// The curve of the retries is not published: chosen so that a receiver that restarts hears of it within seconds.
const firstRetryMs = 250
const longestRetryMs = 60_000
const parallel = 32
/** Within this a shuffled event is held back at random. */
const shuffleWithinMs = 1_000

/** Brings events to the registered URLs, at least once, and remembers in the state file what is not yet delivered. */
export class Delivery {
  readonly #targets: Table<DeliveryTarget>
  readonly #parcels: Table<Parcel>
  readonly #faults: Table<FaultsRow>
  readonly #store: Store
  readonly #closing: AbortSignal
  readonly #queue: Parcel[] = []
  #running = 0

  constructor(world: World) {
    this.#store = world.store
    this.#closing = world.closing
    this.#targets = world.table<DeliveryTarget>('delivery-target', { account: (row) => row.account })
    this.#parcels = world.table<Parcel>('delivery-parcel')
    this.#faults = world.table<FaultsRow>('delivery-faults')
    for (const parcel of this.#parcels.all()) void this.#wait(parcel)
  }

  hasTarget(account: string): boolean {
    return this.#targets.having('account', account).length > 0
  }

  targets(): DeliveryTarget[] {
    return [...this.#targets.all()]
  }

  /** How many events are still on their way. */
  get pending(): number {
    return this.#parcels.size
  }

  get faults(): DeliveryFaults {
    return this.#faults.get('faults')?.faults ?? noFaults
  }

  setFaults(faults: Partial<DeliveryFaults>): void {
    this.#faults.save({ key: 'faults', faults: { ...noFaults, ...faults } })
  }

  putTarget(target: Omit<DeliveryTarget, 'key'>): void {
    const key = `${target.account} ${target.url}`
    const there = this.#targets.get(key)
    this.#targets.save(there ? Object.assign(there, target) : { key, ...target })
  }

  /** Takes away the targets of an account, or all; what was on its way to them is lost. */
  removeTargets(account?: string): void {
    for (const target of this.targets()) {
      if (account !== undefined && target.account !== account) continue
      this.#targets.remove(target)
    }
  }

  send(account: string, body: string): void {
    for (const { key } of this.#targets.having('account', account)) {
      for (const delayMs of this.copies()) this.#post(key, body, delayMs)
    }
  }

  /** How late each copy of an event is to come, in milliseconds; none where it is lost on the way. */
  copies(): number[] {
    const { drop, duplicate, delayMs, shuffle } = this.faults
    if (chance() < drop) return []
    const lateness = () => delayMs + (shuffle ? chance() * shuffleWithinMs : 0)
    return chance() < duplicate ? [lateness(), lateness()] : [lateness()]
  }

  #post(target: string, body: string, delayMs: number): void {
    const now = Date.now()
    const parcel = { key: digits(19), target, body, attempts: 0, createdAt: now, dueAt: now + delayMs }
    this.#parcels.save(parcel)
    void this.#wait(parcel)
  }

  async #wait(parcel: Parcel): Promise<void> {
    const ms = parcel.dueAt - Date.now()
    if (ms > 0) await sleep(ms, undefined, { signal: this.#closing }).catch(() => undefined)
    else await this.#store.commit() // not on the wire before it is on disk
    this.#queue.push(parcel)
    this.#pump()
  }

  #pump(): void {
    while (this.#running < parallel && !this.#closing.aborted) {
      const parcel = this.#queue.shift()
      if (!parcel) return
      this.#running += 1
      void this.#deliver(parcel).finally(() => {
        this.#running -= 1
        this.#pump()
      })
    }
  }

  async #deliver(parcel: Parcel): Promise<void> {
    const target = this.#targets.get(parcel.target)
    const answer = target ? await this.#attempt(target, parcel.body) : final
    if (this.#closing.aborted || !this.#parcels.get(parcel.key)) return // stopped, or all was forgotten meanwhile
    parcel.attempts += 1
    if (answer.isFinal || Date.now() - parcel.createdAt > giveUpAfterMs) {
      this.#parcels.remove(parcel)
      return this.#store.commit()
    }
    const backOff = Math.min(longestRetryMs, firstRetryMs * 2 ** (parcel.attempts - 1))
    parcel.dueAt = Date.now() + Math.max(answer.retryAfterMs, backOff * (0.5 + chance() / 2))
    this.#parcels.save(parcel)
    void this.#wait(parcel)
  }

  async #attempt({ url, headers }: DeliveryTarget, body: string): Promise<Answer> {
    const own = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Amazon/EventBridge/ApiDestinations',
    }
    const signal = AbortSignal.any([this.#closing, AbortSignal.timeout(answerTimeoutMs)])
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, ...own },
        body,
        signal,
        redirect: 'manual',
      })
      await answer.arrayBuffer()
      if (!isRetried(answer.status)) return final
      return { isFinal: false, retryAfterMs: 1000 * (Number(answer.headers.get('retry-after')) || 0) }
    } catch {
      return { isFinal: false, retryAfterMs: 0 } // no answer is like a bad one: the receiver may be restarting
    }
  }
}
