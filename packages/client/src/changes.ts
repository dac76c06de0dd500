import type { Change } from '@sluice/contract'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { ClientOptions } from './client.ts'
import { pause } from './pause.ts'
import { type Retry, retrying } from './retry.ts'
import { openStream } from './send.ts'

/** Which records changed; read them anew to see how. */
export type ChangeEvent = {
  /** Where to go on after this one, with `lastEventId`. */
  id: string
  /** What was missed is not known: read everything anew. So it is at the beginning. */
  reset: boolean
  changes: Change[]
}

export type FollowOptions = {
  /** Where to go on: the `id` of the last event that was dealt with. */
  lastEventId?: string
  signal?: AbortSignal
  /** How long the service may be away at a time: an upgrade takes less than two minutes. */
  retry?: Retry
}

const awayForMs = 120_000

/** After a stream that ended, as streams do where a process of the service stops. Milliseconds. */
const comeBackMs = 1_000

/**
 * Tells what changes in the organization as it happens, until the signal is aborted or the loop is left. Where the
 * connection breaks it goes on where it was, and misses nothing.
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
      if (signal?.aborted || !(error instanceof TypeError)) throw error // a broken connection is one that ended
    }
  }
}

/** Not every browser iterates over streams. */
async function* eventsIn(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => undefined) // it may have broken, which was told
  }
}

/** The event `reset` has none. */
function changesIn(data: string): Change[] {
  const told: unknown = JSON.parse(data)
  return Array.isArray(told) ? told : []
}
