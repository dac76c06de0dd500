import type { ChangeFeed } from './feed.ts'
import type { News } from './follower.ts'
import { idOf } from './position.ts'

export type Followed = {
  feed: ChangeFeed
  organizationId: string
  /** The last event that the client has seen, if it was here before. */
  lastEventId: unknown
  /** Whether whoever follows still may. */
  isAllowed(): Promise<boolean>
}

/** How long a stream is silent at most: so soon a revoked credential ends it, and nobody between takes it for dead. */
const silentMs = 5_000

/** An organization's changes as server-sent events, until the right to read is taken away or the server stops. */
export async function* changeEvents(
  { feed, organizationId, lastEventId, isAllowed }: Followed,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const follower = await feed.follow(organizationId, lastEventId)
  try {
    yield 'retry: 1000\n\n'
    while (!signal.aborted && (await isAllowed())) {
      yield eventOf(follower.news())
      await follower.wait(silentMs, signal)
    }
  } finally {
    feed.leave(follower)
  }
}

/** Without news it is only an id, which tells a client where to go on, and nothing else. */
function eventOf({ position, changes, isReset }: News): string {
  const id = `id: ${idOf(position)}\n`
  if (isReset) return `${id}event: reset\ndata: {}\n\n`
  return changes.length === 0 ? `${id}\n` : `${id}data: ${JSON.stringify(changes)}\n\n`
}
