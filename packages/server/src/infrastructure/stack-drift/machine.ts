type Known = { driftedSince: Date | null; reconcilingRunId: string | null }

/**
 * What is known after a look that found so many resources drifted. What was found before stays the same drift, for
 * which one run is begun, until it is gone or an apply came in between.
 */
export function afterLook(known: Known, found: { count: number; lastAppliedAt: Date | null; now: Date }): Known {
  const { count, lastAppliedAt, now } = found
  if (count === 0) return { driftedSince: null, reconcilingRunId: null }
  const { driftedSince } = known
  const isKnown = driftedSince !== null && (lastAppliedAt === null || lastAppliedAt <= driftedSince)
  return isKnown ? known : { driftedSince: now, reconcilingRunId: null }
}
