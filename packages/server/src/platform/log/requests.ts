import type { FastifyRequest } from 'fastify'
import type { App } from '../http/app.ts'

/** What asks again and again whether all is well: nobody's doing, and most of all lines otherwise. */
const probes = /^\/(health|metrics)(\/|$)/

/**
 * Writes a line for each request that took at least so long, by its route and the ids of the records that it names:
 * what else stands in an address may be a secret. A stream takes as long as somebody reads it, which is not slow.
 */
export function logRequests(app: App, fromMs: number): void {
  app.addHook('onResponse', (request, reply, done) => {
    const isStream = String(reply.getHeader('content-type')).startsWith('text/event-stream')
    const tookMs = Math.round(reply.elapsedTime)
    if (fromMs === 0 || (tookMs >= fromMs && !isStream)) {
      const line = { ...whatOf(request), status: reply.statusCode, tookMs }
      request.log[probes.test(line.route) ? 'debug' : 'info'](line, 'a request was answered')
    }
    done()
  })
}

const idLooks = /^[a-z]+_[0-9a-z]{26}$/

function whatOf({ method, is404, routeOptions, params, caller }: FastifyRequest) {
  const ids = Object.entries(params ?? {}).filter(([, value]) => idLooks.test(String(value)))
  return {
    method,
    route: (is404 ? undefined : routeOptions.url) ?? 'none',
    ...Object.fromEntries(ids),
    ...(caller && { organizationId: caller.organizationId, membershipId: caller.membershipId }),
  }
}
