import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { duplicateNames } from './duplicates.ts'
import { mediaTypeUnsupported } from './error-reply.ts'
import { bodyInvalid } from './input.ts'
import { Refusal } from './refusal.ts'

/** Bodies are JSON in UTF-8 or absent. An empty one counts as absent, whatever content-type came with it. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    request.rawBody = body
    return body.length === 0 ? undefined : parseJson(body)
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => {
    if (body.length > 0) throw mediaTypeUnsupported()
  })
}

function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new Refusal('malformedJson', 'The body is not UTF-8.')
  const text = body.toString('utf8')
  const value = readJson(text)
  const duplicates = duplicateNames(text)
  if (duplicates.length > 0) throw bodyInvalid(duplicates)
  return value
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Refusal('malformedJson', `The body is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}
