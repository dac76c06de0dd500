import { isRepeatable, type Route } from '@sluice/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import type { Db } from '../db/open.ts'
import { requestInvalid } from './input.ts'

export interface StoredResponse {
  status: number
  body: unknown
}

/** Request with an idempotency key. */
export interface KeyedRequest {
  organizationId: string
  /** Id of the membership or service account of the caller. */
  actorId: string
  operationId: string
  key: string
  /** Parameters, query and body as text; the same key with other content is a different request. */
  content: string
}

/**
 * Runs a request unless its idempotency key was used before, and returns the stored response in that case. The work and
 * the storage of its response share one transaction.
 */
export type IdempotentExecutor = (
  db: Db,
  request: KeyedRequest,
  work: (tx: Db) => Promise<StoredResponse>,
) => Promise<StoredResponse & { isReplay: boolean }>

const header = 'idempotency-key'

/** Pattern of idempotency keys: printable ASCII, which is safe to log and compare. */
const plainKey = /^[!-~]{1,200}$/

/** Runs a request once per idempotency key, if its route is repeatable and the request has a key. */
export async function executeIdempotently<Body>(
  { route, request, reply, caller, db }: KeyedCall,
  work: (db: Db | null) => Promise<Body>,
): Promise<Body> {
  const key = isRepeatable(route) ? keyIn(request) : undefined
  if (key === undefined || caller === null || db === null) return work(db)
  const { organizationId, membershipId: actorId } = caller
  const content = JSON.stringify([request.params, request.query, request.body])
  const { status, body, isReplay } = await request.server.answerOnce(
    db,
    { organizationId, actorId, operationId: route.operationId, key, content },
    async (tx) => {
      const body = await work(tx)
      return { status: reply.statusCode, body }
    },
  )
  if (isReplay) reply.code(status).header('idempotency-replayed', 'true')
  return body as Body
}

export interface KeyedCall {
  route: Route
  request: FastifyRequest
  reply: FastifyReply
  caller: Caller | null
  db: Db | null
}

function keyIn({ headers }: FastifyRequest): string | undefined {
  const key = headers[header]
  if (key === undefined || (typeof key === 'string' && plainKey.test(key))) return key as string | undefined
  throw requestInvalid([
    { title: 'Headers', render: 'list', items: [`${header}: expected 1 to 200 printable ASCII characters`] },
  ])
}
