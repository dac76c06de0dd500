export interface Timer {
  at: number
  /** Timers of the same time fire in this order. */
  order: number
  ring: (at: number) => void
}

/** Binary heap of timers, earliest first, with logarithmic insertion and removal. */
export class Timers {
  #heap: Timer[] = []
  #set = 0

  set(at: number, ring: (at: number) => void): void {
    this.#heap.push({ at, order: this.#set++, ring })
    this.#rise(this.#heap.length - 1)
  }

  nextAt(): number | undefined {
    return this.#heap[0]?.at
  }

  /** Removes and returns the earliest timer if it is due by `until`. */
  takeDue(until: number): Timer | undefined {
    const first = this.#heap[0]
    if (!first || first.at > until) return undefined
    const last = this.#heap.pop()
    if (last && last !== first) {
      this.#heap[0] = last
      this.#sink(0)
    }
    return first
  }

  clear(): void {
    this.#heap = []
  }

  #rise(start: number): void {
    let index = start
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!this.#swapIfEarlier(index, parent)) return
      index = parent
    }
  }

  #sink(start: number): void {
    let index = start
    for (;;) {
      const left = 2 * index + 1
      const child = this.#isEarlier(left + 1, left) ? left + 1 : left
      if (!this.#swapIfEarlier(child, index)) return
      index = child
    }
  }

  #isEarlier(a: number, b: number): boolean {
    const [first, second] = [this.#heap[a], this.#heap[b]]
    if (!first || !second) return false
    return first.at < second.at || (first.at === second.at && first.order < second.order)
  }

  #swapIfEarlier(a: number, b: number): boolean {
    const [first, second] = [this.#heap[a], this.#heap[b]]
    if (!first || !second || !this.#isEarlier(a, b)) return false
    this.#heap[a] = second
    this.#heap[b] = first
    return true
  }
}
