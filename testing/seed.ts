/**
 * Seed of all randomness that can affect a test's result. Fixed unless `TEST_SEED` is set, so that a change never fails
 * because of an older bug. Names and keys stay random.
 */
export const testSeed = seedOf('TEST_SEED') ?? 20_260_101

/** Returns the seed in an environment variable, or undefined if the variable is not set. */
export function seedOf(name: string): number | undefined {
  const text = process.env[name]
  if (text === undefined || text === '') return undefined
  const seed = Number(text)
  if (!Number.isInteger(seed)) throw new Error(`${name} must be an integer, not ${text}`)
  return seed
}
