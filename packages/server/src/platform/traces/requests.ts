import type { FastifyRequest } from 'fastify'
import type { App } from '../http/app.ts'
import { isProbe, whatOf } from '../log/requests.ts'
import { type Span, type Spans, tracedBy } from './present.ts'

/** W3C header that carries the position in a trace. */
export const traceHeader = 'traceparent'

/**
 * Creates a span for each request, and returns its position in the response header. Every request starts a new trace: a
 * client could otherwise override the sampling with `traceparent`, or write into traces of others. For authenticated
 * callers, the received position becomes a link.
 */
export function traceRequests(app: App, spans: Spans): void {
  const open = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', (request, reply, done) => {
    const { method, route } = whatOf(request)
    if (isProbe(route)) return done()
    const attributes = { 'http.request.method': method, 'http.route': route, 'sluice.requestId': request.id }
    const span = spans.begin({ name: `${method} ${route}`, kind: 'server', attributes })
    open.set(request, span)
    reply.header(traceHeader, span.place)
    tracedBy(spans, span.place, done)
  })
  // Restores the context, because parsing of the body continues in that of the socket.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = open.get(request)
    const given = request.headers[traceHeader]
    if (request.caller && typeof given === 'string') span?.link(given)
    tracedBy(span && spans, span?.place, done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const span = open.get(request)
    const { method, route, ...ids } = whatOf(request)
    const named = Object.entries(ids).map(([name, id]) => [`sluice.${name}`, String(id)] as const)
    const attributes = { 'http.response.status_code': reply.statusCode, ...Object.fromEntries(named) }
    span?.end({ attributes, failure: reply.statusCode >= 500 ? String(reply.statusCode) : undefined })
    tracedBy(span && spans, span?.place, done)
  })
}
