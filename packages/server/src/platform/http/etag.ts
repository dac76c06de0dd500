import { hash } from 'node:crypto'
import type { Route } from '@sluice/contract'
import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'

/**
 * Reports whether responses of a route carry an ETag: those with a single resource. Lists change too often to benefit.
 */
export const isTagged = ({ method, permission, response: [status, schema], responseType }: Route): boolean =>
  method === 'GET' &&
  responseType === undefined &&
  permission !== 'anyone' &&
  status === 200 &&
  !('meta' in (Reflect.get(schema, 'properties') ?? {}))

/**
 * Adds an ETag of the content to a response, and sends 304 if the client has that content. The tag is weak (RFC 9110
 * 8.8.1), because the same content may also be sent compressed.
 */
export const tagAnswer: onSendHookHandler = (request, reply, payload, done) => {
  const isComplete = reply.statusCode === 200 && typeof payload === 'string'
  done(null, isComplete ? tagged(request, reply, payload) : payload)
}

function tagged(request: FastifyRequest, reply: FastifyReply, payload: string): string {
  const tag = `W/"${hash('sha1', payload, 'base64url')}"`
  // Caches must revalidate the response before they reuse it, and only for the same caller.
  reply.headers({ etag: tag, 'cache-control': 'private, no-cache' })
  if (!isNamed(tag, request.headers['if-none-match'])) return payload
  reply.code(304).removeHeader('content-length').removeHeader('content-type')
  return ''
}

/** Reports whether an `If-None-Match` header lists the tag, by weak comparison (RFC 9110 13.1.2). */
function isNamed(tag: string, header: string | undefined): boolean {
  if (header === undefined) return false
  const opaque = tag.slice(2)
  return header.split(',').some((one) => {
    const named = one.trim()
    return named === '*' || named.replace(/^W\//, '') === opaque
  })
}
