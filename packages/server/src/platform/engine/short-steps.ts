/**
 * Service options of objects whose handlers are short steps. Completed steps are not stored: by default every poll
 * would leave a row for a day, 2,880 per object at 30 s, and the database has the history. Idempotency keys still work
 * while a message waits or runs. Steps are retried without a limit: after 70 attempts the engine would pause the object
 * until a person resumes it.
 */
export const shortSteps = {
  journalRetention: 0,
  idempotencyRetention: 0,
  retryPolicy: { maxAttempts: Number.MAX_SAFE_INTEGER },
} as const
