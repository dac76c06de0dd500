import type { ModuleInstanceLogLine, UserFacingError } from '@sluice/contract'

/** Result of one read: lines, oldest first, and whether more lines exist already. */
export type LogRead = { lines: ModuleInstanceLogLine[]; hasMore: boolean }

/** Operations that the tail of a log needs. */
export type LogTail = {
  /**
   * Reads the lines that were logged since a time, in epoch milliseconds. Returns the error if they cannot be read, and
   * undefined if there is no log.
   */
  linesFrom(from: number): Promise<LogRead | { trouble: UserFacingError } | undefined>
  wait(ms: number): Promise<void>
}

/**
 * Polling interval in milliseconds, and its maximum after transient errors. The cloud allows 5 to 25 requests per
 * second and account.
 */
export const pollMs = 2_000
const maxBackOffMs = 30_000
/**
 * Maximum delay in milliseconds with which a line can appear after a newer one. Every read starts that much earlier.
 */
const overlapMs = 10_000
/** Interval in milliseconds after which a silent stream sends a comment, so that proxies do not close it. */
const maxSilenceMs = 15_000

/** Last line that was sent. */
export type TailPosition = { at: number; id?: string }

/**
 * Streams a log as server-sent events from a position on. Ends with the event `end` when the log does not exist any
 * more, and without it on a shutdown.
 */
export async function* tailEvents(
  { linesFrom, wait }: LogTail,
  place: TailPosition,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let newest = place.at
  let troubles = 0
  let hasMore = false
  let heardAt = performance.now()
  /** Ids and times of sent lines that the next read may return again. */
  const told = new Map<string, number>(place.id === undefined ? [] : [[place.id, place.at]])
  yield ': the log of a module instance\nretry: 1000\n\n'
  while (!signal.aborted) {
    // Never before the start: a client that reconnects has received those lines.
    const found = await linesFrom(Math.max(place.at, hasMore ? newest : newest - overlapMs))
    if (found === undefined) {
      yield 'event: end\ndata: {}\n\n'
      return
    }
    if ('lines' in found) {
      troubles = 0
      hasMore = found.hasMore
      for (const line of found.lines) {
        const at = Date.parse(line.timestamp)
        if (told.has(line.id) || isBefore(line, at, place)) continue
        told.set(line.id, at)
        newest = Math.max(newest, at)
        heardAt = performance.now()
        yield `id: ${at}.${line.id}\ndata: ${JSON.stringify(line)}\n\n`
      }
      for (const [id, at] of told) if (at < newest - overlapMs) told.delete(id)
    } else {
      troubles += 1
      hasMore = false
      yield `event: trouble\ndata: ${JSON.stringify(found.trouble)}\n\n`
    }
    if (performance.now() - heardAt > maxSilenceMs) {
      yield ': still here\n\n'
      heardAt = performance.now()
    }
    if (!hasMore) await wait(Math.min(maxBackOffMs, pollMs * 2 ** troubles))
  }
}

/** Reports whether a line of the same millisecond comes before the position; such lines are ordered by id. */
const isBefore = ({ id }: ModuleInstanceLogLine, at: number, place: TailPosition): boolean =>
  at === place.at && place.id !== undefined && id <= place.id
