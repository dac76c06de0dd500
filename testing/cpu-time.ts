/**
 * Returns the processor time that all threads of this process have used so far, in milliseconds. Tests measure it
 * instead of wall time, which also grows with what other programs do.
 */
export function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
