let state = (Math.random() * 2 ** 32) >>> 0

/** From here on chance falls as it did for everybody who gave this number; names and keys stay unique to each world. */
export function seedChance(seed: number): void {
  state = seed >>> 0
}

/** A number from 0 to below 1: whether and when trouble comes (mulberry32, which is small and even enough for that). */
export function chance(): number {
  state = (state + 0x6d2b79f5) >>> 0
  let mixed = Math.imul(state ^ (state >>> 15), state | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}
