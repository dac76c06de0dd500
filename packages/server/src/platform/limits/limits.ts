import { setTimeout as wait } from 'node:timers/promises'
import type { LimitName, RequestClass } from '@sluice/contract'
import type { Admission, Rejection } from '../admission/admission.ts'
import type { Caller } from '../auth/caller.ts'
import { type Clock, systemClock } from '../clock.ts'
import { ApiError } from '../http/api-error.ts'
import { Rate } from './rate.ts'
import { type LimitValues, limitTable } from './table.ts'

type Asking = Pick<Caller, 'organizationId' | 'identityId'>

/** Body size in bytes that costs as much of the rate limit as another request. */
const bodyUnit = 16 * 1024

/** Limits of organizations and API keys in this process. Each process of an installation counts for itself. */
export class Limits {
  readonly mosts: LimitValues
  /** Admission control; absent if requests are admitted whatever the queueing delay. */
  readonly admission: Admission | undefined
  readonly #clock: Pick<Clock, 'realMs'>
  readonly #rates: Partial<Record<LimitName, Rate>>
  /** Number of open streams, by organization and by API key. */
  readonly #streams = new Map<string, number>()

  constructor(mosts: LimitValues, clock: Pick<Clock, 'monotonicMs' | 'realMs'> = systemClock, admission?: Admission) {
    const { monotonicMs } = clock
    this.mosts = mosts
    this.#clock = clock
    this.admission = admission
    this.#rates = {
      ...(mosts.requests !== undefined && { requests: new Rate(mosts.requests, monotonicMs) }),
      ...(mosts.keyRequests !== undefined && { keyRequests: new Rate(mosts.keyRequests, monotonicMs) }),
    }
  }

  /**
   * Admits a request, or rejects it after a delay. Without the delay, the rejected requests of a client that retries at
   * once would use as much of the process as successful ones.
   * @throws {ApiError} rateLimited, if there are too many requests or requests of its class wait too long
   */
  async request(caller: Asking, bodyBytes: number, requestClass: RequestClass = 'control'): Promise<void> {
    const cost = 1 + Math.floor(bodyBytes / bodyUnit)
    // The rest of a large body is not read if the request is rejected, so the connection cannot be reused.
    const headers: Record<string, string> = cost > 1 ? { connection: 'close' } : {}
    for (const name of ['keyRequests', 'requests'] as const) {
      const waitMs = this.#rates[name]?.take(keyOf(name, caller), cost) ?? 0
      if (waitMs <= 0) continue
      await wait(refusedAfterMs)
      const seconds = Math.max(1, Math.ceil((this.#clock.realMs(waitMs) - refusedAfterMs) / 1_000))
      throw this.#reached(name, seconds, headers)
    }
    const rejection = this.admission?.request(requestClass, caller.organizationId)
    if (!rejection) return
    await wait(refusedAfterMs)
    throw overloaded(rejection, headers)
  }

  /**
   * Counts an open stream until the returned function is called.
   * @throws {ApiError} rateLimited, if too many streams are open
   */
  openStream(caller: Asking): () => void {
    const names = ['keyStreams', 'streams'] as const
    for (const name of names) {
      const most = this.mosts[name]
      if (most !== undefined && this.#openStreams(name, caller) >= most) throw this.#reached(name, aMoment)
    }
    const count = (by: number) => {
      for (const name of names) {
        const open = this.#openStreams(name, caller) + by
        if (open > 0) this.#streams.set(keyOf(name, caller), open)
        else this.#streams.delete(keyOf(name, caller))
      }
    }
    count(1)
    return () => count(-1)
  }

  /**
   * Checks that one more record can be created under a limit. Concurrent requests can exceed the limit slightly.
   * @throws {ApiError} rateLimited, if the limit is reached
   */
  async admit(
    name: 'queuedRuns' | 'queuedSteps' | 'queuedDeployments' | 'rehearsals',
    countUpTo: (most: number) => Promise<number>,
  ): Promise<void> {
    const most = this.mosts[name]
    if (most !== undefined && (await countUpTo(most)) >= most) throw this.#reached(name, aMinute)
  }

  /** Returns the caller's current usage of a limit that is counted in memory. */
  used(name: 'requests' | 'keyRequests' | 'streams' | 'keyStreams', caller: Asking): number {
    return this.#rates[name]?.usedPerSecond(keyOf(name, caller)) ?? this.#openStreams(name, caller)
  }

  #openStreams(name: LimitName, caller: Asking): number {
    return this.#streams.get(keyOf(name, caller)) ?? 0
  }

  #reached(name: LimitName, seconds: number, headers: Record<string, string> = {}): ApiError {
    const { per, unit, remedy } = limitTable[name]
    const most = this.mosts[name]
    const who = per === 'key' ? 'a key' : 'an organization'
    return new ApiError(
      'rateLimited',
      `The limit ${name} is reached: ${who} may have ${most} ${unit}.`,
      { description: remedy, metadata: { limit: name, most } },
      { ...headers, 'retry-after': String(seconds) },
    )
  }
}

const waitingQueues = {
  organization: 'Requests or deployments of the organization wait',
  service: 'Requests or deployments of all organizations wait',
} as const satisfies Record<Rejection['reason'], string>

function overloaded({ reason, delayMs, retryAfterS }: Rejection, headers: Record<string, string>): ApiError {
  const message = `${waitingQueues[reason]} ${Math.round(delayMs)} ms for their turn, which is too long to accept more.`
  const description =
    'Retry after the seconds in retry-after. Continuing, cancelling and rolling back deployments remain possible.'
  const metadata = { reason, delayMs: Math.round(delayMs) }
  return new ApiError(
    'rateLimited',
    message,
    { description, metadata },
    { ...headers, 'retry-after': String(retryAfterS) },
  )
}

/** Delay of a rejection in real milliseconds. It limits a flood to one rejection per second and connection. */
const refusedAfterMs = 1_000

/** `Retry-After` in seconds for a limit whose end is unpredictable, such as that of open streams. */
const aMoment = 5
const aMinute = 60

const keyOf = (name: LimitName, { organizationId, identityId }: Asking): string =>
  limitTable[name].per === 'key' ? `${organizationId} ${identityId}` : organizationId
