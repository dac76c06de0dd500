import type { FastifyRequest } from 'fastify'
import type { App } from '../http/app.ts'
import { workingOn } from './work.ts'

/** What asks again and again whether all is well: nobody's doing, and most of all lines otherwise. */
const probes = /^\/(health|metrics)(\/|$)/
export const isProbe = (route: string): boolean => probes.test(route)

/** Which requests have a line, beside those that we failed to answer, which all do. */
export type LoggedRequests = {
  /** Those that took at least so long. 0: all. Milliseconds. */
  fromMs: number
  /** Of those, one in so many. */
  oneIn: number
}

/**
 * Writes a line for requests, by the route and the ids of the records that each names: what else stands in an address
 * may be a secret. A stream takes as long as somebody reads it, which is not slow.
 */
export function logRequests(app: App, { fromMs, oneIn }: LoggedRequests): void {
  let passed = 0
  /** By counting: of a few requests, chance might leave all out. */
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

/** The route of a request, the ids of the records that it names, and who asks, where that is known yet. */
export function whatOf({ method, is404, routeOptions, params, caller }: FastifyRequest) {
  const ids = Object.entries(params ?? {}).filter(([, value]) => idLooks.test(String(value)))
  return {
    method,
    route: (is404 ? undefined : routeOptions.url) ?? 'none',
    ...Object.fromEntries(ids),
    ...(caller && { organizationId: caller.organizationId, membershipId: caller.membershipId }),
  }
}
