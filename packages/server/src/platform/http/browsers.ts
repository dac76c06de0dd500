import cors from '@fastify/cors'
import type { App } from './app.ts'

/**
 * What browsers are told with every answer: do nothing with it but hand it to the page that asked, and keep no copy.
 * Fixed texts, where a library would work them out anew for each request. The pages at `/docs` have a policy of their
 * own.
 */
export const safeguards = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

/** Lets pages of these origins call us with a bearer token. Cookies stay with our own pages. */
export async function letOrigins(app: App, origins: string[]): Promise<void> {
  if (origins.length === 0) return
  await app.register(cors, {
    origin: origins,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'idempotency-key', 'if-none-match', 'x-request-id'],
    exposedHeaders: ['etag', 'idempotency-replayed', 'retry-after', 'traceparent', 'x-request-id'],
    maxAge: 3_600, // seconds that a browser need not ask again
    strictPreflight: false, // its refusal would not be our error body
  })
}
