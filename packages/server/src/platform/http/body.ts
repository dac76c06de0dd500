import { isUtf8 } from 'node:buffer'
import { setImmediate as othersTurn } from 'node:timers/promises'
import { JsonBoundsError, messageBounds, parseBoundedJson } from '@sluice/contract/bounded-json'
import { duplicateNames } from '@sluice/contract/duplicate-names'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from './api-error.ts'
import { mediaTypeUnsupported } from './error-reply.ts'
import { bodyInvalid } from './input.ts'
import { hasTooManyValues, mostValues } from './value-count.ts'

/** Accepts bodies of JSON in UTF-8. An empty body counts as absent, whatever its content-type. */
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

/** Size in bytes above which a body is parsed and validated in several turns of the event loop. */
const longBody = 64 * 1024

/** Yields to the event loop if the body is large, so that other requests are answered in between. */
export async function yieldForLargeBody(body: Buffer | null): Promise<void> {
  if (body && body.length > longBody) await othersTurn()
}

/** Parses a body. Rejects invalid JSON and duplicate property names. */
export async function parseJson(body: Buffer): Promise<unknown> {
  if (hasTooManyValues(body)) {
    throw new ApiError(
      'bodyTooLarge',
      `The body has more than ${mostValues} values, judging by its commas and brackets.`,
    )
  }
  if (!isUtf8(body)) throw new ApiError('malformedJson', 'The body is not UTF-8.')
  const text = body.toString('utf8')
  const value = readJson(text)
  await yieldForLargeBody(body)
  const duplicates = duplicateNames(text)
  if (duplicates.length > 0) throw bodyInvalid(duplicates.map((path) => `${path}: expected once, it is there again`))
  await yieldForLargeBody(body)
  return value
}

function readJson(text: string): unknown {
  try {
    return parseBoundedJson(text, messageBounds)
  } catch (error) {
    if (error instanceof JsonBoundsError) throw bodyInvalid([`$: ${error.message}`])
    throw new ApiError('malformedJson', `The body is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}
