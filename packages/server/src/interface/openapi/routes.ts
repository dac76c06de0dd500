import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { type Route, routes } from '@sluice/contract'
import type { App } from '../../platform/http/app.ts'
import { openApiDocument } from './document.ts'

/** Content security policy of the pages at `/docs`: everything is loaded from this server, and styles are inline. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Serves the description of the interface at `/openapi.json` and as pages at `/docs`. Anyone can read it. It is created
 * on first use, because that takes a seventh of the processor time of a start.
 */
export async function serveOpenApi(app: App): Promise<void> {
  let text: string | undefined
  const described = () => (text ??= JSON.stringify(openApiDocument(Object.values(routes) as Route[])))
  app.servedPaths.add({ method: 'GET', path: '/openapi.json' })
  app.get('/openapi.json', async (_request, reply) => reply.type('application/json; charset=utf-8').send(described()))
  // For the pages of the API reference, which format the document as JSON or YAML.
  const document = { openapi: '3.1.0', toJSON: () => JSON.parse(described()) }
  await app.register(swagger, { mode: 'static', specification: { document: document as never } })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: pagePolicy,
    theme: { title: 'Sluice' },
    uiConfig: { layout: 'BaseLayout', deepLinking: true, displayOperationId: true, validatorUrl: null },
  })
}
