import type { StepLogChunk } from '@sluice/contract'

/** What a log is followed with. Each looks anew. */
export type Followed = {
  /** The chunks after the one with this number, a few at a time. */
  chunksAfter(sequence: number): Promise<StepLogChunk[]>
  /** Whether nothing is added any more. */
  isOver(): Promise<boolean>
  /** Waits until there may be more. */
  wait(): Promise<void>
}

/** How long a stream is silent at most, so that nobody between takes it for dead. Milliseconds. */
const silentMs = 15_000

/**
 * A log as server-sent events, from the chunk after `sequence` on: ends with the event `end` when the step is over, and
 * without it where the server stops.
 */
export async function* logEvents(
  { chunksAfter, isOver, wait }: Followed,
  sequence: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let last = sequence
  let heardAt = performance.now()
  yield ': the log of a step\nretry: 1000\n\n'
  while (!signal.aborted) {
    const wasOver = await isOver() // before the look: what was added in between is seen in the next
    const chunks = await chunksAfter(last)
    for (const chunk of chunks) {
      yield `id: ${chunk.sequence}\ndata: ${JSON.stringify(chunk)}\n\n`
      last = chunk.sequence
    }
    if (chunks.length > 0) {
      heardAt = performance.now()
    } else if (wasOver) {
      yield 'event: end\ndata: {}\n\n'
      return
    } else {
      if (performance.now() - heardAt > silentMs) {
        yield ': still here\n\n'
        heardAt = performance.now()
      }
      await wait()
    }
  }
}
