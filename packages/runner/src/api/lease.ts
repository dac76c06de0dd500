/** The lease of a runner on its attempts. Each answered heartbeat extends it. */
export class Lease {
  /** Infinite until the API returns the duration. */
  durationMs = Number.POSITIVE_INFINITY
  #extendedAt = performance.now()

  extend(): void {
    this.#extendedAt = performance.now()
  }

  /**
   * Returns whether no heartbeat was answered for the lease duration, after which the API counts the attempts as lost.
   */
  hasExpired(): boolean {
    return performance.now() - this.#extendedAt > this.durationMs
  }

  /**
   * Returns whether heartbeats were answered for longer than a lease after `since` (`performance.now()`). A call that
   * failed all that time fails because of its content, not because the API is unavailable.
   */
  hasOutlived(since: number): boolean {
    return this.#extendedAt - since > this.durationMs
  }
}
