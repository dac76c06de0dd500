let state = (Math.random() * 2 ** 32) >>> 0

/** Seeds the generator for random faults. Names and keys stay unique to each state. */
export function seedChance(seed: number): void {
  state = seed >>> 0
}

/** Returns a random number in [0, 1) for fault injection (mulberry32). */
export function chance(): number {
  state = (state + 0x6d2b79f5) >>> 0
  let mixed = Math.imul(state ^ (state >>> 15), state | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}
