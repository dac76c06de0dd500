/** Chance that a seed repeats: mulberry32, by Tommy Ettinger (public domain). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  between(from: number, below: number): number {
    return from + this.next() * (below - from)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[Math.floor(this.next() * choices.length)] ?? choices[0]
  }
}

/** The seed of CRASH_SEED, or a new one; printed, so that a failure can be repeated. */
export function seedFor(test: string): number {
  const given = process.env.CRASH_SEED
  const seed = given ? Number(given) : Math.floor(Math.random() * 1e9)
  if (!Number.isInteger(seed)) throw new Error(`CRASH_SEED must be a whole number, not ${given}`)
  console.log(`${test}: CRASH_SEED=${seed}`)
  return seed
}
