import { isRepeatable, type Route } from '@sluice/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import type { Db } from '../db/open.ts'
import { requestInvalid } from './input.ts'

/** An answer as it goes out. */
export interface Answer {
  status: number
  body: unknown
}

/** A request that its caller may send again under the same key. */
export interface KeyedRequest {
  organizationId: string
  /** The membership or the service account that asks. */
  actorId: string
  operationId: string
  key: string
  /** All that makes it another request. */
  content: string
}

/**
 * Does the work of a request unless it was done under its key before, and gives the answer to both. The work is done in
 * the transaction that keeps the answer, so there is no moment at which one is there without the other.
 */
export type AnswerOnce = (
  db: Db,
  request: KeyedRequest,
  work: (tx: Db) => Promise<Answer>,
) => Promise<Answer & { isReplay: boolean }>

const header = 'idempotency-key'

/** Printable ASCII, as it can be logged and compared as it is. */
const plainKey = /^[!-~]{1,200}$/

/** Answers a request whose route may be repeated once under its key; others, and those without one, as they are. */
export async function answerKeyed<Body>(
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
