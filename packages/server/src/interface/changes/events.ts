import type { Change } from '@sluice/contract'
import type { Caller } from '../../platform/auth/caller.ts'
import type { ChangeFeed } from './feed.ts'
import type { News } from './follower.ts'
import { idOf } from './position.ts'

export type Followed = {
  feed: ChangeFeed
  organizationId: string
  /** The last event that the client has seen, if it was here before. */
  lastEventId: unknown
  /** Whether whoever follows still may, and what is hidden from them now. */
  whoFollows(): Promise<Pick<Caller, 'access'> | undefined>
  /** Of changes, those that may be told. */
  shown(changes: Change[], hidden: ReadonlySet<string>): Promise<Change[]>
}

/** How long a stream is silent at most: so soon a revoked credential ends it, and nobody between takes it for dead. */
const silentMs = 5_000

/** An organization's changes, until the right to read is taken away or the signal ends it. */
export async function* newsFor(
  { feed, organizationId, lastEventId, whoFollows, shown }: Followed,
  signal: AbortSignal,
): AsyncGenerator<News> {
  const follower = await feed.follow(organizationId, lastEventId)
  try {
    let before: ReadonlySet<string> | undefined
    for (;;) {
      const caller = signal.aborted ? undefined : await whoFollows()
      if (!caller) return
      const { hidden } = caller.access
      const news = follower.news()
      // What came to be hidden or shown did not change itself: all is to be read anew.
      const isOther = before !== undefined && !isSame(hidden, before)
      yield { ...news, changes: await shown(news.changes, hidden), isReset: news.isReset || isOther }
      before = hidden
      await follower.wait(silentMs, signal)
    }
  } finally {
    feed.leave(follower)
  }
}

const isSame = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((id) => other.has(id))

/** The same as server-sent events. */
export async function* changeEvents(followed: Followed, signal: AbortSignal): AsyncGenerator<string> {
  let before = 'retry: 1000\n\n'
  for await (const news of newsFor(followed, signal)) {
    yield before + eventOf(news)
    before = ''
  }
}

/** Without news it is only an id, which tells a client where to go on, and nothing else. */
function eventOf({ position, changes, isReset }: News): string {
  const id = `id: ${idOf(position)}\n`
  if (isReset) return `${id}event: reset\ndata: {}\n\n`
  return changes.length === 0 ? `${id}\n` : `${id}data: ${JSON.stringify(changes)}\n\n`
}
