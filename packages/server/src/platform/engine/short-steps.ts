/**
 * Service options for objects whose handlers are short steps that send the next step to themselves. Nothing of a
 * finished step is kept: at the engine's defaults every poll would leave a row for a day, 2,880 per object at 30 s.
 * The database keeps the history. While a message waits or runs, another one under its idempotency key is still dropped.
 */
export const shortSteps = { journalRetention: 0, idempotencyRetention: 0 } as const
