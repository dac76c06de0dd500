import cors from '@fastify/cors'
import type { App } from './app.ts'

/**
 * Security headers of every response: browsers pass it only to the page that requested it, and do not cache it. They
 * are constants because a library would compute them for each request. The pages at `/docs` have their own policy.
 */
export const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

/** Allows pages of these origins to call the API with a bearer token, but not with cookies. */
export async function enableCors(app: App, origins: string[]): Promise<void> {
  if (origins.length === 0) return
  await app.register(cors, {
    origin: origins,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'idempotency-key', 'if-none-match', 'x-request-id'],
    exposedHeaders: ['etag', 'idempotency-replayed', 'retry-after', 'traceparent', 'x-request-id'],
    maxAge: 3_600, // seconds for which browsers cache a preflight response
    strictPreflight: false, // the error response of the plugin lacks the standard body
  })
}
