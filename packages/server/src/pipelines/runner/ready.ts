/** Notifies waiting requests of this process about ready steps; other processes poll. */
export class ReadySteps {
  #count = 0
  #next = Promise.withResolvers<void>()

  /** Number of notifications. A notification after this was read ends a wait that starts with it. */
  get count(): number {
    return this.#count
  }

  tell(): void {
    this.#count += 1
    this.#next.resolve()
    this.#next = Promise.withResolvers()
  }

  /** Waits until there are more than `count` notifications, until the timeout, or until `signal` aborts. */
  async past(count: number, withinMs: number, signal: AbortSignal): Promise<void> {
    if (this.#count > count || signal.aborted) return
    const enough = Promise.withResolvers<void>()
    const timer = setTimeout(enough.resolve, withinMs)
    const onAbort = () => enough.resolve()
    signal.addEventListener('abort', onAbort, { once: true })
    await Promise.race([this.#next.promise, enough.promise])
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
