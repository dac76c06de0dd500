import { hash } from 'node:crypto'
import type { Route } from '@sluice/contract'
import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'

/** Whether its answers carry an ETag: those with one resource. A page of a list changes too often to be worth it. */
export const isTagged = ({ method, permission, response: [status, schema], responseType }: Route): boolean =>
  method === 'GET' &&
  responseType === undefined &&
  permission !== 'anyone' &&
  status === 200 &&
  !('meta' in (Reflect.get(schema, 'properties') ?? {}))

/**
 * Tags an answer by its content, and sends 304 to a caller who has it already. Weak (RFC 9110 8.8.1), because the same
 * content also goes out compressed.
 */
export const tagAnswer: onSendHookHandler = (request, reply, payload, done) => {
  const isComplete = reply.statusCode === 200 && typeof payload === 'string'
  done(null, isComplete ? tagged(request, reply, payload) : payload)
}

function tagged(request: FastifyRequest, reply: FastifyReply, payload: string): string {
  const tag = `W/"${hash('sha1', payload, 'base64url')}"`
  // Whoever keeps it asks before using it again, and only for the same caller.
  reply.headers({ etag: tag, 'cache-control': 'private, no-cache' })
  if (!isNamed(tag, request.headers['if-none-match'])) return payload
  reply.code(304).removeHeader('content-length').removeHeader('content-type')
  return ''
}

/** Whether an If-None-Match names the tag; tags are compared weakly there (RFC 9110 13.1.2). */
function isNamed(tag: string, header: string | undefined): boolean {
  if (header === undefined) return false
  const opaque = tag.slice(2)
  return header.split(',').some((one) => {
    const named = one.trim()
    return named === '*' || named.replace(/^W\//, '') === opaque
  })
}
