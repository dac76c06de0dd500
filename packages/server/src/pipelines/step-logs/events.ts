import type { StepLogChunk } from '@sluice/contract'

/** Operations for following a log. Each reads the current state. */
export type FollowedLog = {
  /** Returns a few of the chunks after this number. */
  chunksAfter(sequence: number): Promise<StepLogChunk[]>
  /** Returns whether the log is complete. */
  isOver(): Promise<boolean>
  /** Waits until there may be more chunks. */
  wait(): Promise<void>
}

/** Interval in milliseconds after which a silent stream sends a comment, so that proxies do not close it. */
const silentMs = 15_000

/**
 * Streams a log as server-sent events, from the chunk after `sequence` on. Ends with the event `end` when the step has
 * ended, and without it on a shutdown.
 */
export async function* logEvents(
  { chunksAfter, isOver, wait }: FollowedLog,
  sequence: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let last = sequence
  let heardAt = performance.now()
  yield ': the log of a step\nretry: 1000\n\n'
  while (!signal.aborted) {
    // Before reading the chunks, so that the next read returns those that were added in between.
    const wasOver = await isOver()
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
