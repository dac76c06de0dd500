import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Authenticate } from '../auth/authenticate.ts'
import type { Caller } from '../auth/caller.ts'
import { newId } from '../ids.ts'
import { acceptJson } from './body.ts'
import { replyClientError, replyError, requestIdHeader } from './error-reply.ts'
import { Refusal } from './refusal.ts'
import { ServedPaths } from './served-paths.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Who a request comes from, by its authorization header. */
    authenticate: Authenticate
    /** The paths that are served, so that a wrong method is told from a wrong path. */
    servedPaths: ServedPaths
  }
  interface FastifyRequest {
    /** Null on routes that anyone may call, and before the caller is known. */
    caller: Caller | null
  }
}

export type App = FastifyInstance

const bodyLimitBytes = 1024 * 1024

/** An id from outside is kept if it is short and plain, so that it can be logged and sent back as it is. */
const plainRequestId = /^[\w.:-]{1,128}$/

export interface AppParts {
  log: FastifyBaseLogger
  authenticate: Authenticate
}

/** The HTTP server, with the rules that hold on every route. Routes are added by `handle`. */
export function createApp({ log, authenticate }: AppParts): App {
  const app: App = Fastify({
    loggerInstance: log,
    // A line per request would cost more than a quick read does; what goes wrong is logged where it does.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: bodyLimitBytes,
    // Long enough for 1 MiB over a slow line; without a bound, a client that sends a byte a minute holds a socket.
    requestTimeout: 60_000,
    // A longer path is refused by its schema, with the one error body; headers end at 16 KiB anyway.
    routerOptions: { maxParamLength: 16_384 },
    // Requests on a connection that is open while we stop are answered: its 503 would not be our error body.
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: ({ headers }) => {
      const given = headers[requestIdHeader]
      return typeof given === 'string' && plainRequestId.test(given) ? given : newId('req')
    },
    frameworkErrors: replyError,
    clientErrorHandler: replyClientError,
  })
  app.decorate('authenticate', authenticate)
  app.decorate('servedPaths', new ServedPaths())
  app.decorateRequest('caller', null)
  app.setErrorHandler(replyError)
  acceptJson(app)
  // Before the body is read: an unknown path is a 404 whatever was sent to it.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(requestIdHeader, request.id)
    if (!request.is404) return done()
    const path = request.url.split('?', 1)[0] ?? ''
    const methods = app.servedPaths.methodsOf(path)
    if (methods.length === 0) return done(new Refusal('routeNotFound', `There is no path ${path}.`))
    reply.header('allow', methods.join(', '))
    done(new Refusal('methodNotAllowed', `${path} takes ${methods.join(', ')}, not ${request.method}.`))
  })
  return app
}
