import type { Change } from '@sluice/contract'
import type { Caller } from '../../platform/auth/caller.ts'
import type { ChangeFeed } from './feed.ts'
import type { ChangeBatch } from './follower.ts'
import { idOf } from './position.ts'

export type Followed = {
  feed: ChangeFeed
  organizationId: string
  /** Last event that the client received, if it was connected before. */
  lastEventId: unknown
  /** Returns the current access of the follower, or undefined if its credential is not valid any more. */
  whoFollows(): Promise<Pick<Caller, 'access'> | undefined>
  /** Returns the changes that the follower can see. */
  shown(changes: Change[], hidden: ReadonlySet<string>): Promise<Change[]>
}

/**
 * Maximum time without an event. A revoked credential ends the stream within this time, and proxies do not close it.
 * Milliseconds.
 */
const maxSilenceMs = 5_000

/** Yields an organization's changes until the access is revoked or the signal aborts. */
export async function* changeBatches(
  { feed, organizationId, lastEventId, whoFollows, shown }: Followed,
  signal: AbortSignal,
): AsyncGenerator<ChangeBatch> {
  const follower = await feed.follow(organizationId, lastEventId)
  try {
    let before: ReadonlySet<string> | undefined
    for (;;) {
      const caller = signal.aborted ? undefined : await whoFollows()
      if (!caller) return
      const { hidden } = caller.access
      const news = follower.news()
      // Records that became hidden or visible did not change, so that the client must read everything again.
      const isOther = before !== undefined && !isSame(hidden, before)
      yield { ...news, changes: await shown(news.changes, hidden), isReset: news.isReset || isOther }
      before = hidden
      await follower.wait(maxSilenceMs, signal)
    }
  } finally {
    feed.leave(follower)
  }
}

const isSame = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((id) => other.has(id))

/** Yields the changes as server-sent events. */
export async function* changeEvents(followed: Followed, signal: AbortSignal): AsyncGenerator<string> {
  let before = 'retry: 1000\n\n'
  for await (const news of changeBatches(followed, signal)) {
    yield before + eventOf(news)
    before = ''
  }
}

/** Formats an event. Without changes it is only an id, from which a client can continue. */
function eventOf({ position, changes, isReset }: ChangeBatch): string {
  const id = `id: ${idOf(position)}\n`
  if (isReset) return `${id}event: reset\ndata: {}\n\n`
  return changes.length === 0 ? `${id}\n` : `${id}data: ${JSON.stringify(changes)}\n\n`
}
