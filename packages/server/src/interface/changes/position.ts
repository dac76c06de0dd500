/** A place in the stream of changes: transactions with a lower number are over, and what they changed was told. */
export type Position = { transactionId: bigint; atMs: number }

/** How old a position may be from which a stream goes on. */
const resumableMs = 5 * 60_000

/** The position as the id of an event, which a client that comes back shows in Last-Event-ID. */
export const idOf = ({ transactionId, atMs }: Position): string => `${transactionId}.${atMs}`

/**
 * The position that a client shows; undefined where changes after it may be forgotten, or it is none of this database.
 */
export function positionIn(lastEventId: unknown, present: Position): Position | undefined {
  const [, transactionId, atMs] = /^(\d{1,18})\.(\d{1,15})$/.exec(String(lastEventId)) ?? []
  if (transactionId === undefined) return undefined
  const position = { transactionId: BigInt(transactionId), atMs: Number(atMs) }
  const isKept = position.atMs <= present.atMs && present.atMs - position.atMs <= resumableMs
  return isKept && position.transactionId <= present.transactionId ? position : undefined
}
