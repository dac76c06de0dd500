/**
 * The time of the service. Whatever it decides by time comes from here: rate limits, leases, retries, analyses,
 * freezes, soak times, sessions, the expiry of keys, sweeps and wake-ups. A duration that is measured elsewhere (by a
 * timer of this process, or by the engine for a delayed message) is converted by `realMs`, and SQL gets `now` as a
 * parameter. So tests and rehearsals see weeks pass in minutes, at the same speed everywhere.
 *
 * Real time is for what happens on real machines:
 * - time-outs of sockets, requests and connections, waiting for processes to end, and draining before a stop;
 * - how often a process asks: sweeps and other periodic tasks, polls of the cloud, heartbeats, keep-alives of streams;
 * - how old a row may be that a process acts on (`outcome.ts` of deployments), and how long a message may take before
 *   it is sent again (`overdue.ts`): both are about the process and the engine, not about the release;
 * - what other systems date: credentials of the cloud, tokens of git hosts and identity providers;
 * - what goes by the timestamps of the database: `created_at`, retention, archives, the stream of changes.
 */
export type Clock = {
  now: () => Date
  /** How many seconds of the service pass in a second. */
  speed: number
  /** Returns how long a duration of the service takes in reality. Milliseconds. */
  realMs: (ms: number) => number
  /** Returns how far this clock moves while so many milliseconds pass in reality. */
  elapsedMs: (realMs: number) => number
  /** Milliseconds since the process started. They never go back, so intervals are measured by them. */
  monotonicMs: () => number
}

/** Makes a clock that shows what `now` returns; tests move it. */
export const createClock = (now: () => Date, speed = 1): Clock => ({
  now,
  speed,
  realMs: (ms) => ms / speed,
  elapsedMs: (realMs) => realMs * speed,
  monotonicMs: () => performance.now() * speed,
})

export const systemClock: Clock = createClock(() => new Date())

/**
 * Makes a clock that showed the real time at `epoch` and has been running `speed` times as fast since. All processes of
 * an installation have the same epoch, also after a restart, and so agree on the time.
 */
export function createFastClock(speed: number, epoch: Date): Clock {
  const epochMs = epoch.getTime()
  return createClock(() => new Date(epochMs + (Date.now() - epochMs) * speed), speed)
}
