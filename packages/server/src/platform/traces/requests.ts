import type { FastifyRequest } from 'fastify'
import type { App } from '../http/app.ts'
import { isProbe, whatOf } from '../log/requests.ts'
import { type Span, type Spans, tracedBy } from './present.ts'

/** The header by which programs tell each other where they stand in a trace. */
export const traceHeader = 'traceparent'

/**
 * Makes a span of each request, and answers with where it stands. A request always begins a trace: whoever sends
 * `traceparent` could otherwise have us keep what the operator does not want to keep, or write into the traces of
 * others. Of callers whom we know it is noted as a link.
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
  // Once more: what reads the body goes on where the bytes came in.
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
