/** Random numbers that a seed repeats: mulberry32, by Tommy Ettinger (public domain). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Returns a number from 0 up to, but not including, 1. */
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

  /** Returns another generator, whose numbers do not depend on how many are later drawn from this one. */
  fork(): Random {
    return new Random(this.between(0, 2 ** 32))
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[Math.floor(this.next() * choices.length)] ?? choices[0]
  }
}

/** Returns the seed from which all tests of this run draw their choices. `global-setup.ts` sets and prints it. */
export function suiteSeed(): number {
  const given = process.env[seedVariable]
  const seed = Number(given)
  if (!given || !Number.isInteger(seed)) throw new Error(`${seedVariable} must be a whole number, not ${given}`)
  return seed
}

/** Variable with the seed of an earlier run, with which every test makes the same choices. */
export const seedVariable = 'CRASH_SEED'
