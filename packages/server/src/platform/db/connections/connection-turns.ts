import type { RequestClass } from '@sluice/contract'
import type { RequestWaits } from './request-waits.ts'
import { TurnTimeout } from './turns.ts'

/** What a connection is used for: requests by their class, or the work of the service on what was accepted. */
export type ConnectionUse = RequestClass | 'service'

type ConnectionTurnsSettings = {
  /** Connections in use at a time. */
  max: number
  /** Maximum wait of each in milliseconds. */
  waitMs: number
  nowMs?: () => number
}

/**
 * The time that a use has waited counts this many times when uses compete, so that none starves. Work that was accepted
 * goes before more work.
 */
const weights = { control: 64, read: 16, service: 4, work: 1 } as const satisfies Record<ConnectionUse, number>

/**
 * The share of the connections that a use may have. The rest is left to the other uses. Half of them is enough for the
 * service to use up its processor; more would only make each turn of the event loop longer, for which requests wait.
 */
const shares = { control: 1, service: 0.5, read: 0.75, work: 0.5 } as const satisfies Record<ConnectionUse, number>

/** The share of the connections that one organization may have. */
const organizationShare = 0.5

/** Waiting operation. `since` is the arrival time of its request, if it has one. */
type Waiting = { use: ConnectionUse; organizationId: string; since: number; start: () => void }

/**
 * Shares the connections of a pool among organizations and uses, so that nothing waits in the pool itself. Within an
 * organization and a use, the oldest request is first, so that requests that have begun are finished before others
 * begin. Organizations take turns.
 */
export class ConnectionTurns {
  readonly #max: number
  readonly #waitMs: number
  readonly #nowMs: () => number
  #total = 0
  /** Connections in use by use, by organization, and by both. */
  readonly #inUse = new Map<string, number>()
  /** By use and organization, each from the oldest on. Those that were served last come last. */
  readonly #queues = new Map<string, Waiting[]>()

  constructor({ max, waitMs, nowMs = () => performance.now() }: ConnectionTurnsSettings) {
    this.#max = max
    this.#waitMs = waitMs
    this.#nowMs = nowMs
  }

  /** Waits for a turn, and adds the wait to those of the request. The caller must call the result to end the turn. */
  async take(use: ConnectionUse, organizationId: string, request?: RequestWaits): Promise<() => void> {
    if (this.#hasRoom(use, organizationId)) return this.#begin(use, organizationId)
    const from = this.#nowMs()
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const start = () => resolve(this.#begin(use, organizationId))
    const waiting: Waiting = { use, organizationId, since: request?.since ?? from, start }
    this.#enqueue(waiting)
    const timer = setTimeout(() => {
      this.#dequeue(waiting)
      reject(new TurnTimeout(`no connection was available within ${this.#waitMs} ms`))
    }, this.#waitMs)
    return promise.finally(() => {
      clearTimeout(timer)
      if (request) request.waitedMs += this.#nowMs() - from
    })
  }

  #begin(use: ConnectionUse, organizationId: string): () => void {
    this.#change(use, organizationId, 1)
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      this.#change(use, organizationId, -1)
      this.#startAll()
    }
  }

  #change(use: ConnectionUse, organizationId: string, by: number): void {
    this.#total += by
    for (const key of [use, organizationId, queueOf(use, organizationId)]) {
      const count = this.#countOf(key) + by
      if (count === 0) this.#inUse.delete(key)
      else this.#inUse.set(key, count)
    }
  }

  #countOf(key: string): number {
    return this.#inUse.get(key) ?? 0
  }

  #hasRoom(use: ConnectionUse, organizationId: string): boolean {
    const maxEach = partOf(this.#max, organizationShare)
    return (
      this.#total < this.#max &&
      this.#countOf(use) < partOf(this.#max, shares[use]) &&
      this.#countOf(organizationId) < maxEach &&
      this.#countOf(queueOf(use, organizationId)) < partOf(maxEach, shares[use])
    )
  }

  /** Starts all for which there is room now. */
  #startAll(): void {
    const now = this.#nowMs()
    for (let next = this.#next(now); next; next = this.#next(now)) {
      this.#dequeue(next)
      next.start()
    }
  }

  /** Of each use, the organization whose turn it is competes with its oldest wait. */
  #next(now: number): Waiting | undefined {
    const candidates = new Map<ConnectionUse, Waiting>()
    for (const [first] of this.#queues.values()) {
      if (first && !candidates.has(first.use) && this.#hasRoom(first.use, first.organizationId))
        candidates.set(first.use, first)
    }
    const weightOf = ({ use, since }: Waiting) => (now - since + 1) * weights[use]
    return [...candidates.values()].toSorted((a, b) => weightOf(b) - weightOf(a))[0]
  }

  #enqueue(waiting: Waiting): void {
    const key = queueOf(waiting.use, waiting.organizationId)
    const queue = this.#queues.get(key) ?? []
    const before = queue.findLastIndex(({ since }) => since <= waiting.since)
    queue.splice(before + 1, 0, waiting)
    this.#queues.set(key, queue)
  }

  /** Moves the queue to the end, so that organizations take turns. */
  #dequeue(waiting: Waiting): void {
    const key = queueOf(waiting.use, waiting.organizationId)
    const queue = this.#queues.get(key)?.filter((one) => one !== waiting) ?? []
    this.#queues.delete(key)
    if (queue.length > 0) this.#queues.set(key, queue)
  }
}

const queueOf = (use: ConnectionUse, organizationId: string): string => `${use} ${organizationId}`

/** At least one: of few connections, every use may have one. */
const partOf = (count: number, share: number): number => Math.max(1, Math.ceil(count * share))
