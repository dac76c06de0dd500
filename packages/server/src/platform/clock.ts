/**
 * Clock of the service for all decisions about time: rate limits, leases, retries, analyses, freezes, soak times,
 * sessions, expiry of keys, periodic tasks and wake-ups. Durations that are measured elsewhere (by a timer of this
 * process, or by the engine for a delayed message) are converted by `realMs`, and SQL gets `now` as a parameter. Tests
 * and rehearsals can therefore run weeks in minutes, at the same speed everywhere.
 *
 * Real time is for what happens on real machines:
 * - timeouts of sockets, requests and connections, waiting for processes to exit, and draining before a stop;
 * - intervals of periodic tasks, polls of the cloud, heartbeats, keep-alives of streams;
 * - the age of a row that a process acts on (`outcome.ts` of deployments), and the delay before a message is sent again
 * (`overdue.ts`): both concern the process and the engine, not the release;
 * - dates of other systems: credentials of the cloud, tokens of git hosts and identity providers;
 * - timestamps of the database: `created_at`, retention, archives, the stream of changes.
 */
export type Clock = {
  now: () => Date
  /** Seconds of the service per real second. */
  speed: number
  /** Converts a duration of the service into real milliseconds. */
  realMs: (ms: number) => number
  /** Converts real milliseconds into a duration of the service. */
  elapsedMs: (realMs: number) => number
  /** Returns the milliseconds since the start of the process, which only increase, for intervals. */
  monotonicMs: () => number
}

/** Creates a clock that shows what `now` returns, for tests. */
export const createClock = (now: () => Date, speed = 1): Clock => ({
  now,
  speed,
  realMs: (ms) => ms / speed,
  elapsedMs: (realMs) => realMs * speed,
  monotonicMs: () => performance.now() * speed,
})

export const systemClock: Clock = createClock(() => new Date())

/**
 * Creates a clock that showed the real time at `epoch` and runs `speed` times as fast. All processes of an installation
 * have the same epoch, also after a restart, and therefore agree on the time.
 */
export function createFastClock(speed: number, epoch: Date): Clock {
  const epochMs = epoch.getTime()
  return createClock(() => new Date(epochMs + (Date.now() - epochMs) * speed), speed)
}
