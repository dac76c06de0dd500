/** The lease of a runner on its attempts, which the API extends with each heartbeat that it answers. */
export class Lease {
  /** Until the API says how long it lasts, it does not end. */
  durationMs = Number.POSITIVE_INFINITY
  #extendedAt = performance.now()

  extend(): void {
    this.#extendedAt = performance.now()
  }

  /** Whether the API has answered no heartbeat for as long as a lease lasts: it counts the attempts as lost. */
  hasRunOut(): boolean {
    return performance.now() - this.#extendedAt > this.durationMs
  }

  /**
   * Whether the API has answered heartbeats for longer than a lease lasts after `since`: a call that failed all the
   * while fails because of itself, and not because the API is away. By the clock of `performance`.
   */
  hasOutlived(since: number): boolean {
    return this.#extendedAt - since > this.durationMs
  }
}
