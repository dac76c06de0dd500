import type { RequestClass } from '@sluice/contract'
import { LRUCache } from 'lru-cache'
import { intervalMs, RateController, type RateControllerSettings } from './rate-controller.ts'

/** What waits: a request for connections of the database, an accepted deployment for a worker. */
export type Queue = 'connections' | 'starts'

/** Whose queue is too long: that of the organization alone, or those of all organizations. */
export type Rejection = { reason: 'organization' | 'service'; delayMs: number; retryAfterS: number }

/** Organizations whose state is kept. One that has not asked for long starts again without a limit. */
const maxOrganizations = 10_000

/** The longest that callers are asked to wait. Seconds. */
const maxRetryAfterS = 60

/** Receives every decision and every delay. */
export type AdmissionObserver = {
  onRequest(requestClass: RequestClass, rejection: Rejection | undefined): void
  onDelay(requestClass: RequestClass, queue: Queue, delayMs: number): void
}

type OfOrganization = {
  controller: RateController
  /** Requests that may be admitted at once; they come back at the admitted rate. */
  tokens: number
  filledAt: number
}

/**
 * Decides by measured queueing delays which requests to admit. An organization whose own requests or deployments wait
 * too long is limited first. If those of every organization wait too long, all organizations share one rate, so that
 * those that ask for less than others are not limited.
 */
export class Admission {
  readonly #ofClass: Record<Exclude<RequestClass, 'control'>, ClassAdmission>
  readonly #observer: AdmissionObserver | undefined

  constructor(settings: RateControllerSettings, observer?: AdmissionObserver) {
    this.#observer = observer
    this.#ofClass = { read: new ClassAdmission(settings), work: new ClassAdmission(settings) }
  }

  /** Counts a request, or returns why it is rejected. Control requests are always admitted. */
  request(requestClass: RequestClass, organizationId: string): Rejection | undefined {
    const rejection = requestClass === 'control' ? undefined : this.#ofClass[requestClass].request(organizationId)
    this.#observer?.onRequest(requestClass, rejection)
    return rejection
  }

  /** Notes that a request or deployment left a queue, and how long it waited there, if for nothing else. */
  observe(requestClass: RequestClass, organizationId: string, queue: Queue, delayMs: number | undefined): void {
    if (delayMs !== undefined) this.#observer?.onDelay(requestClass, queue, delayMs)
    if (requestClass !== 'control') this.#ofClass[requestClass].observe(organizationId, queue, delayMs)
  }
}

/** The same for the requests of one class. */
class ClassAdmission {
  readonly #settings: RateControllerSettings
  readonly #ofService: RateController
  readonly #organizations = new LRUCache<string, OfOrganization>({ max: maxOrganizations })
  /** Requests of each organization since `countedFrom`, and those of the interval before. */
  #asked = new Map<string, number>()
  #askedBefore = new Map<string, number>()
  #countedFrom: number

  constructor(settings: RateControllerSettings) {
    this.#settings = settings
    this.#ofService = new RateController(settings)
    this.#countedFrom = settings.nowMs()
  }

  request(organizationId: string): Rejection | undefined {
    const now = this.#settings.nowMs()
    const one = this.#of(organizationId)
    this.#count(organizationId, now)
    one.controller.countRequest()
    this.#ofService.countRequest()
    const share = this.#shareOfEach()
    const [reason, rate, delayMs] =
      one.controller.rate <= share
        ? (['organization', one.controller.rate, one.controller.delayMs] as const)
        : (['service', share, this.#ofService.delayMs] as const)
    if (rate !== Number.POSITIVE_INFINITY) {
      fill(one, rate, now)
      if (one.tokens < 1) return { reason, delayMs, retryAfterS: retryAfterS(rate, one.tokens, delayMs) }
      one.tokens -= 1
    }
    return undefined
  }

  observe(organizationId: string, queue: Queue, delayMs: number | undefined): void {
    this.#of(organizationId).controller.observe(queue, delayMs)
    this.#ofService.observe(queue, delayMs)
  }

  #count(organizationId: string, now: number): void {
    if (now - this.#countedFrom >= intervalMs) {
      this.#askedBefore = this.#asked
      this.#asked = new Map()
      this.#countedFrom = now
    }
    this.#asked.set(organizationId, (this.#asked.get(organizationId) ?? 0) + 1)
  }

  /** The rate that each organization may have, by what organizations asked for in the last interval. */
  #shareOfEach(): number {
    const { rate } = this.#ofService
    if (rate === Number.POSITIVE_INFINITY) return rate
    return fairShare(
      rate,
      [...this.#askedBefore.values()].map((count) => (count * 1_000) / intervalMs),
    )
  }

  #of(organizationId: string): OfOrganization {
    const known = this.#organizations.get(organizationId)
    if (known) return known
    const made = { controller: new RateController(this.#settings), tokens: 1, filledAt: this.#settings.nowMs() }
    this.#organizations.set(organizationId, made)
    return made
  }
}

/**
 * Returns the largest share of a rate that organizations can have each if none gets more than it asked for (max-min
 * fairness).
 */
export function fairShare(rate: number, asked: readonly number[]): number {
  let left = rate
  const ascending = asked.toSorted((a, b) => a - b)
  for (const [index, one] of ascending.entries()) {
    const share = left / (ascending.length - index)
    if (one >= share) return share
    left -= one
  }
  return left // of those that did not ask
}

function fill(one: OfOrganization, rate: number, now: number): void {
  const earned = one.tokens + (rate * (now - one.filledAt)) / 1_000
  one.tokens = Math.min(earned, Math.max(1, (rate * intervalMs) / 1_000))
  one.filledAt = now
}

/** The queue needs about its delay to become short, and the next request is admitted when there is a token for it. */
function retryAfterS(rate: number, tokens: number, delayMs: number): number {
  const untilTokenS = (1 - tokens) / rate
  return Math.min(maxRetryAfterS, Math.max(1, Math.ceil(Math.max(untilTokenS, delayMs / 1_000))))
}
