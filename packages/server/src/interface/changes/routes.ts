import { Readable } from 'node:stream'
import { type Change, routes } from '@sluice/contract'
import type { Logger } from 'pino'
import type { WebSocket } from 'ws'
import { credentialIn } from '../../platform/auth/credential.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { originOf } from '../../platform/http/origin.ts'
import type { Declarations } from '../../platform/records.ts'
import { changeBatches, changeEvents, type Followed } from './events.ts'
import { ChangeFeed } from './feed.ts'
import { sendChangesOver } from './socket.ts'
import { visibleChanges } from './visible.ts'

type Parts = { db: Db; log: Logger; declarations: Declarations }

/** Serves the stream of changes, by which clients learn what to read again. */
export function serveChanges(app: App, parts: Parts): void {
  const feed = new ChangeFeed(parts)
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort()) // an open stream would block the shutdown

  app.upgrades.allow(routes.streamChanges.path)

  handle(app, routes.streamChanges, async ({ query, caller: { organizationId }, request, reply, revoked }) => {
    const { headers } = request
    const credential = credentialIn(headers)
    reply.headers({
      'x-accel-buffering': 'no', // proxies must not buffer it
      connection: 'close', // closes the connection when the server stops
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
        return visibleChanges(parts.declarations, changes, { organizationId, seen, all })
      },
    }
    if (app.upgrades.isAsked(request)) {
      if (credential?.type === 'SESSION' && headers.origin !== originOf(app, request)) {
        // Browsers send the cookie with a WebSocket of any page, without a preflight request.
        throw new ApiError('crossSite', 'With a session cookie, only pages of this service can open a WebSocket.')
      }
      const socket = await app.upgrades.accept(request, reply)
      if (socket) follow(socket, followed, revoked)
      return ''
    }
    return Readable.from(changeEvents(followed, closing.signal))
  })

  /** Sends changes until either side closes the WebSocket. */
  function follow(socket: WebSocket, followed: Followed, revoked: AbortSignal | undefined): void {
    const closed = new AbortController()
    socket.once('close', () => closed.abort())
    const news = changeBatches(
      followed,
      AbortSignal.any([closing.signal, closed.signal, ...(revoked ? [revoked] : [])]),
    )
    sendChangesOver(socket, { news, stopping: closing.signal }).catch((error) => {
      parts.log.error({ err: error }, 'a WebSocket of changes ended')
      socket.terminate()
    })
  }
}
