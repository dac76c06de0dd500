import { Readable } from 'node:stream'
import { routes } from '@sluice/contract'
import type { Logger } from 'pino'
import { credentialIn } from '../../platform/auth/credential.ts'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { changeEvents } from './events.ts'
import { ChangeFeed } from './feed.ts'

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
      isAllowed: async () =>
        credential !== undefined && (await app.callers.find(credential))?.organizationId === organizationId,
    }
    return Readable.from(changeEvents(followed, closing.signal))
  })
}
