export type RateControllerSettings = {
  /** The longest queueing delay that is acceptable for a whole interval. Milliseconds. */
  targetMs: number
  nowMs: () => number
}

/** As long as delays are measured before the rate changes. Bursts that end sooner are not overload. Milliseconds. */
export const intervalMs = 1_000

/** Fewer delays in an interval say nothing about a queue. */
const minObservations = 3
/** Of what can leave a queue that is too long, so much may enter it, so that it becomes shorter. */
const drainShare = 0.9
/** By this factor the rate rises after an interval without overload. */
const increase = 1.15
/** Weight of the latest interval in the average rate at which requests leave a queue. */
const smoothing = 0.3
/**
 * Number of averages whose maximum estimates how much can leave the queue, as BBR estimates a bottleneck. The current
 * rate is no estimate: a lower limit lowers the rate, which would lower the limit again.
 */
const maxAverages = 10
/** Minimum rate per second, however long the queue is, so that its delay can be measured. */
const minRate = 1

/** What waits in one place, in the present interval, and the latest averages of how many leave it per interval. */
type Queue = { shortestMs: number; delays: number; left: number; averages: number[] }

/**
 * Controls a rate by the queueing delays that are measured behind it. As in CoDel (RFC 8289), the shortest delay of an
 * interval counts: a queue that was short once in an interval is no overload, however long it was in between. While a
 * queue is too long, slightly less is admitted than can leave it.
 */
export class RateController {
  readonly #targetMs: number
  readonly #nowMs: () => number
  readonly #queues = new Map<string, Queue>()
  #rate = Number.POSITIVE_INFINITY
  #delayMs = 0
  #intervalFrom: number
  /** Requests of this interval, admitted or not. */
  #asked = 0

  constructor({ targetMs, nowMs }: RateControllerSettings) {
    this.#targetMs = targetMs
    this.#nowMs = nowMs
    this.#intervalFrom = nowMs()
  }

  /** Requests per second; infinite while there is no overload. */
  get rate(): number {
    this.#advance()
    return this.#rate
  }

  /** The queueing delay of the last interval. Milliseconds. */
  get delayMs(): number {
    return this.#delayMs
  }

  countRequest(): void {
    this.#advance()
    this.#asked += 1
  }

  /** Notes that something left a queue, and how long it waited there, if it waited for nothing else. Milliseconds. */
  observe(name: string, delayMs: number | undefined): void {
    this.#advance()
    const queue = this.#queues.get(name) ?? { ...empty, averages: [] }
    this.#queues.set(name, queue)
    queue.left += 1
    if (delayMs === undefined) return
    queue.delays += 1
    queue.shortestMs = Math.min(queue.shortestMs, delayMs)
  }

  #advance(): void {
    const passed = Math.floor((this.#nowMs() - this.#intervalFrom) / intervalMs)
    if (passed < 1) return
    this.#intervalFrom += passed * intervalMs
    this.#endInterval()
    if (passed > 1) this.#raise(passed - 1) // intervals in which nothing happened
  }

  #endInterval(): void {
    const needed = this.#rate === Number.POSITIVE_INFINITY ? minObservations : 1
    const overloaded: Queue[] = []
    this.#delayMs = 0
    for (const queue of this.#queues.values()) {
      const before = queue.averages.at(-1) ?? queue.left
      queue.averages = [...queue.averages, before + smoothing * (queue.left - before)].slice(-maxAverages)
      if (queue.delays < needed) continue
      this.#delayMs = Math.max(this.#delayMs, queue.shortestMs)
      if (queue.shortestMs > this.#targetMs) overloaded.push(queue)
    }
    if (overloaded.length === 0) this.#raise(1)
    else this.#rate = Math.max(minRate, drainShare * perSecond(Math.min(...overloaded.map(throughputOf))))
    this.#asked = 0
    for (const queue of this.#queues.values()) Object.assign(queue, empty)
  }

  /** There is no limit any more as soon as it is twice of what is asked for. */
  #raise(intervals: number): void {
    this.#rate *= increase ** intervals
    if (this.#rate > 2 * Math.max(minRate, perSecond(this.#asked))) this.#rate = Number.POSITIVE_INFINITY
  }
}

const empty = { shortestMs: Number.POSITIVE_INFINITY, delays: 0, left: 0 }

const perSecond = (count: number): number => (count * 1_000) / intervalMs
const throughputOf = ({ averages }: Queue): number => Math.max(0, ...averages)
