import type { FastifyRequest } from 'fastify'
import type { App } from '../http/app.ts'
import { workingOn } from './work.ts'

/** Routes of health checks and metrics, which are polled so often that they would dominate the log. */
const probes = /^\/(health|metrics)(\/|$)/
export const isProbe = (route: string): boolean => probes.test(route)

/** Selection of the requests that are logged. Responses with a 5xx status are always logged. */
export type LoggedRequests = {
  /** Minimum duration in milliseconds; 0 logs all. */
  fromMs: number
  /** Sampling: logs one of this many selected requests. */
  oneIn: number
}

/**
 * Logs requests by their route and the ids of records; other parts of a URL may contain secrets. Event streams do not
 * count as slow, because they last until the client disconnects.
 */
export function logRequests(app: App, { fromMs, oneIn }: LoggedRequests): void {
  let passed = 0
  /** Samples by counting, because random sampling could omit all of a few requests. */
  const isItsTurn = () => passed++ % oneIn === 0
  app.addHook('preHandler', ({ id }, _reply, done) => workingOn({ reqId: id }, done))
  app.addHook('onResponse', (request, reply, done) => {
    const isStream = String(reply.getHeader('content-type')).startsWith('text/event-stream')
    const tookMs = Math.round(reply.elapsedTime)
    const isSlow = fromMs === 0 || (tookMs >= fromMs && !isStream)
    if (reply.statusCode >= 500 || (isSlow && isItsTurn())) {
      const line = { ...whatOf(request), status: reply.statusCode, tookMs }
      request.log[isProbe(line.route) ? 'debug' : 'info'](line, 'a request was answered')
    }
    done()
  })
}

const idLooks = /^[a-z]+_[0-9a-z]{26}$/

/** Returns the route of a request, the ids of the records in its path, and the caller if known. */
export function whatOf({ method, is404, routeOptions, params, caller }: FastifyRequest) {
  const ids = Object.entries(params ?? {}).filter(([, value]) => idLooks.test(String(value)))
  return {
    method,
    route: (is404 ? undefined : routeOptions.url) ?? 'none',
    ...Object.fromEntries(ids),
    ...(caller && { organizationId: caller.organizationId, membershipId: caller.membershipId }),
  }
}
