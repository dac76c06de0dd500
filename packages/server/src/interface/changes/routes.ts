import { Readable } from 'node:stream'
import { type Change, routes } from '@sluice/contract'
import type { Logger } from 'pino'
import { credentialIn } from '../../platform/auth/credential.ts'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { changeEvents } from './events.ts'
import { ChangeFeed } from './feed.ts'
import { changesSeen } from './seen.ts'

/** Tells clients what to read anew. */
export function serveChanges(app: App, parts: { db: Db; log: Logger }): void {
  const feed = new ChangeFeed(parts)
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort()) // a stream would keep the server from ending

  handle(app, routes.streamChanges, async ({ query, caller: { organizationId }, request: { headers }, reply }) => {
    const credential = credentialIn(headers)
    reply.headers({
      'x-accel-buffering': 'no', // proxies are not to collect it
      connection: 'close', // when it ends because the server stops, nothing keeps the connection
    })
    const followed = {
      feed,
      organizationId,
      lastEventId: headers['last-event-id'] ?? query.lastEventId,
      whoFollows: async () => {
        const caller = credential && (await app.callers.find(credential))
        return caller?.organizationId === organizationId ? caller : undefined
      },
      shown: async (changes: Change[], hidden: ReadonlySet<string>) => {
        if (hidden.size === 0 || changes.length === 0) return changes
        const [seen, all] = [app.ofOrganization(organizationId, hidden), app.ofOrganization(organizationId)]
        return changesSeen(changes, { organizationId, seen, all })
      },
    }
    return Readable.from(changeEvents(followed, closing.signal))
  })
}
