/** Tells those who wait within this process that steps are ready; other processes find out by looking. */
export class ReadySteps {
  #count = 0
  #next = Promise.withResolvers<void>()

  /** How often it was told; what is told after this was read ends a wait that begins with it. */
  get count(): number {
    return this.#count
  }

  tell(): void {
    this.#count += 1
    this.#next.resolve()
    this.#next = Promise.withResolvers()
  }

  /** Waits until it is told once more than `count` times, or for so long, or until `signal` is aborted. */
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
