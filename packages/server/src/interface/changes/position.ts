/** Position in the stream of changes: transactions with a lower number have ended, and their changes were sent. */
export type Position = { transactionId: bigint; atMs: number }

/** Maximum age of a position from which a stream can continue, in milliseconds. */
const resumableMs = 5 * 60_000

/** Returns the position as an event id, which a reconnecting client sends in Last-Event-ID. */
export const idOf = ({ transactionId, atMs }: Position): string => `${transactionId}.${atMs}`

/** Parses the position of a client; returns undefined if it has expired or belongs to another database. */
export function parsePosition(lastEventId: unknown, present: Position): Position | undefined {
  const [, transactionId, atMs] = /^(\d{1,18})\.(\d{1,15})$/.exec(String(lastEventId)) ?? []
  if (transactionId === undefined) return undefined
  const position = { transactionId: BigInt(transactionId), atMs: Number(atMs) }
  const isKept = position.atMs <= present.atMs && present.atMs - position.atMs <= resumableMs
  return isKept && position.transactionId <= present.transactionId ? position : undefined
}
