import type { App } from '../http/app.ts'
import type { Metrics } from './metrics.ts'

/**
 * Measures requests by route. Unknown paths share the label `none`, because clients could create any number of series.
 */
export function measureRequests(app: App, { requests }: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const isStream = String(reply.getHeader('content-type')).startsWith('text/event-stream')
    if (!isStream) {
      const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none')
      requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000)
    }
    done()
  })
}
