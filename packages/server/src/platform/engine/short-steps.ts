/**
 * Service options for objects whose handlers are short steps that send the next step to themselves. Nothing of a
 * finished step is kept: at the engine's defaults every poll would leave a row for a day, 2,880 per object at 30 s. The
 * database keeps the history. While a message waits or runs, another one under its idempotency key is still dropped.
 * And no step is ever given up: after 70 attempts an engine would pause it, and all that comes after it for its object,
 * until a person resumes it.
 */
export const shortSteps = {
  journalRetention: 0,
  idempotencyRetention: 0,
  retryPolicy: { maxAttempts: Number.MAX_SAFE_INTEGER },
} as const
