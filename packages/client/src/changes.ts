import type { Change } from '@sluice/contract'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { ClientOptions } from './client.ts'
import { pause } from './pause.ts'
import { type Retry, retrying } from './retry.ts'
import { openStream } from './send.ts'

/** Records that changed. Read them again for their new state. */
export type ChangeEvent = {
  /** Event id, for resuming after it with `lastEventId`. */
  id: string
  /** Whether changes were missed, so that everything must be read again. Also set for the first event. */
  reset: boolean
  changes: Change[]
}

export type FollowOptions = {
  /** Id of the last processed event, after which to resume. */
  lastEventId?: string
  signal?: AbortSignal
  /** Maximum time for which the service may be unavailable: an upgrade takes less than two minutes. */
  retry?: Retry
}

const awayForMs = 120_000

/** Delay before reconnecting after a stream ended, as when a process of the service stops. Milliseconds. */
const comeBackMs = 1_000

/**
 * Yields the organization's changes as they happen, until the signal is aborted or the loop is left. After a lost
 * connection it resumes without missing any.
 */
export async function* followChanges(
  options: ClientOptions,
  { lastEventId, signal, retry = { forMs: awayForMs } }: FollowOptions = {},
): AsyncGenerator<ChangeEvent, void, undefined> {
  for (let from = lastEventId; ; await pause(comeBackMs, signal)) {
    const query = from === undefined ? {} : { lastEventId: from }
    const open = () => openStream(options, 'streamChanges', { query }, { retry: false, ...(signal && { signal }) })
    const body = await retrying(open, { ...retry, ...(signal && { signal }) })
    try {
      for await (const event of eventsIn(body)) {
        from = event.id ?? from
        yield { id: from ?? '', reset: event.event === 'reset', changes: changesIn(event.data) }
      }
    } catch (error) {
      if (signal?.aborted || !(error instanceof TypeError)) throw error // a broken connection counts as ended
    }
  }
}

/** Yields the events of a stream. Not every browser can iterate over streams. */
async function* eventsIn(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => undefined) // it may already have failed, which was reported
  }
}

/** Parses the changes of an event. The event `reset` has none. */
function changesIn(data: string): Change[] {
  const told: unknown = JSON.parse(data)
  return Array.isArray(told) ? told : []
}
