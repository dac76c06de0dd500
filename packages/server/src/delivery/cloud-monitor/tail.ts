import type { ModuleInstanceLogLine, UserFacingError } from '@sluice/contract'

/** What one look gives: lines, oldest first, and whether there are more of them already. */
export type Look = { lines: ModuleInstanceLogLine[]; hasMore: boolean }

/** What a log is followed with. Each looks anew. */
export type FollowedLog = {
  /** The lines from a moment (epoch milliseconds) on, or what keeps them from being read; undefined without a log. */
  linesFrom(from: number): Promise<Look | { trouble: UserFacingError } | undefined>
  wait(ms: number): Promise<void>
}

/**
 * How often the cloud is asked, and how seldom while it is in trouble. It takes 5 to 25 questions a second of an
 * account.
 */
export const lookMs = 2_000
const longestTroubleMs = 30_000
/** Lines may be shown by the cloud so long after newer ones: each look goes back that far. */
const overlapMs = 10_000
/** How long a stream is silent at most, so that nobody between takes it for dead. */
const silentMs = 15_000

/** The last line that was told. */
export type TailPlace = { at: number; id?: string }

/**
 * A log as server-sent events, from a place on. Ends with the event `end` when there is no log to follow any more, and
 * without it where the server stops.
 */
export async function* tailEvents(
  { linesFrom, wait }: FollowedLog,
  place: TailPlace,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let newest = place.at
  let troubles = 0
  let hasMore = false
  let heardAt = performance.now()
  /** Lines that were told and may be found again, with their times. */
  const told = new Map<string, number>(place.id === undefined ? [] : [[place.id, place.at]])
  yield ': the log of a module instance\nretry: 1000\n\n'
  while (!signal.aborted) {
    // Nothing from before the beginning: whoever comes back has had it.
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
    if (performance.now() - heardAt > silentMs) {
      yield ': still here\n\n'
      heardAt = performance.now()
    }
    if (!hasMore) await wait(Math.min(longestTroubleMs, lookMs * 2 ** troubles))
  }
}

/** Ids order the lines of a moment. */
const isBefore = ({ id }: ModuleInstanceLogLine, at: number, place: TailPlace): boolean =>
  at === place.at && place.id !== undefined && id <= place.id
