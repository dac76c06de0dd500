import { setTimeout as sleep } from 'node:timers/promises'
import { chance } from '../chance.ts'
import { digits } from '../ids.ts'
import type { Row, Store, Table } from '../store.ts'
import type { World } from '../world.ts'

/** URL that receives an account's events. Key: account and URL. */
export interface DeliveryTarget extends Row {
  account: string
  url: string
  headers: Record<string, string>
}

/** Faults of event delivery for all targets and queues. `drop` and `duplicate` are probabilities. */
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
  /** Real time in epoch milliseconds, because receivers are real programs. */
  createdAt: number
  dueAt: number
}

interface FaultsRow extends Row {
  faults: DeliveryFaults
}

/** Result of a delivery attempt. No retry follows a final one. */
interface Answer {
  isFinal: boolean
  retryAfterMs: number
}

const final: Answer = { isFinal: true, retryAfterMs: 0 }
const noFaults: DeliveryFaults = { drop: 0, duplicate: 0, delayMs: 0, shuffle: false }

// "API destinations as targets in Amazon EventBridge": a timeout of 5 s, and retries for these statuses.
const answerTimeoutMs = 5_000
const isRetried = (status: number) => [401, 407, 409, 429].includes(status) || status >= 500
/** Time for which a delivery is retried ("How EventBridge retries delivering events"). */
const giveUpAfterMs = 24 * 3600 * 1000
// AWS does not publish its backoff. This one reaches a restarted receiver within seconds.
const firstRetryMs = 250
const maxRetryMs = 60_000
const parallel = 32
/** Maximum random delay of a shuffled event, in milliseconds. */
const shuffleWithinMs = 1_000

/** Delivers events to the registered URLs at least once. Undelivered events are in the state file. */
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

  /** Number of undelivered events. */
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

  /** Removes the targets of an account, or all of them, with their undelivered events. */
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

  /** Returns the delay of each copy of an event in milliseconds; none if it is dropped. */
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
    else await this.#store.commit() // not sent before it is stored
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
    if (this.#closing.aborted || !this.#parcels.get(parcel.key)) return // stopped or reset in the meantime
    parcel.attempts += 1
    if (answer.isFinal || Date.now() - parcel.createdAt > giveUpAfterMs) {
      this.#parcels.remove(parcel)
      return this.#store.commit()
    }
    const backOff = Math.min(maxRetryMs, firstRetryMs * 2 ** (parcel.attempts - 1))
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
      // No response counts as retryable, because the receiver may be restarting.
      return { isFinal: false, retryAfterMs: 0 }
    }
  }
}
