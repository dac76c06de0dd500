type Known = { driftedSince: Date | null; reconcilingRunId: string | null }

/**
 * Returns the drift state after a check. Drift stays the same, with one correcting run, until it is gone or an apply
 * happened in between.
 */
export function afterCheck(known: Known, found: { count: number; lastAppliedAt: Date | null; now: Date }): Known {
  const { count, lastAppliedAt, now } = found
  if (count === 0) return { driftedSince: null, reconcilingRunId: null }
  const { driftedSince } = known
  const isKnown = driftedSince !== null && (lastAppliedAt === null || lastAppliedAt <= driftedSince)
  return isKnown ? known : { driftedSince: now, reconcilingRunId: null }
}
