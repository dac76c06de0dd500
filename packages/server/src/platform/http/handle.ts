import { Readable } from 'node:stream'
import {
  changesOrganization,
  errorsOf,
  hasResponseBody,
  type PageQuery,
  type RequestClass,
  type Route,
  requestClassOf,
} from '@sluice/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { runWithWorkerResults } from '../aside/answered.ts'
import type { Caller } from '../auth/caller.ts'
import { type RequestWaits, withRequestWaits } from '../db/connections/request-waits.ts'
import type { Db } from '../db/open.ts'
import type { PageBounds, PageRows } from '../db/page.ts'
import { isForeignKeyViolation } from '../db/violations.ts'
import { ApiError } from './api-error.ts'
import type { App } from './app.ts'
import { yieldForLargeBody } from './body.ts'
import { isStream, revocationOf, untilRevoked } from './connections/streams.ts'
import { sendCsv, wantsCsv } from './csv.ts'
import { isTagged, tagAnswer } from './etag.ts'
import { guard } from './guard.ts'
import { inputReader } from './input.ts'
import { executeIdempotently } from './once.ts'
import { requirePermission } from './rights.ts'

type Parsed<R extends Route, Part extends 'params' | 'query' | 'body'> =
  R extends Record<Part, infer S extends TSchema> ? Static<S> : Record<never, never>

/** Request that passed every check of its route. */
export interface Call<R extends Route> {
  params: Parsed<R, 'params'>
  query: Parsed<R, 'query'>
  body: Parsed<R, 'body'>
  caller: R['permission'] extends 'anyone' ? null : Caller
  /** Database restricted to the organization of the caller and to the records that are visible to the caller. */
  db: R['permission'] extends 'anyone' ? null : Db
  request: FastifyRequest
  reply: FastifyReply
  /** Streams only: aborts when the caller loses the permission to read. A returned stream is ended automatically. */
  revoked: AbortSignal | undefined
  /** Schedules work for after the commit, such as publishing events. The response waits for it. */
  afterwards(work: () => unknown): void
}

/** Result of a handler: the body that the route declares, or text or a stream if the response is not JSON. */
type Answer<R extends Route> = R extends { responseType: string } ? Readable | string : Body<R>

type Body<R extends Route> =
  | Static<R['response'][1]>
  | (R extends { otherStatuses: readonly [204] } ? undefined : never)

/** Handles a request. `prepared` is the result of the preparation, if the operation has one. */
export type Handler<R extends Route, Prepared = undefined> = (call: Call<R>, prepared: Prepared) => Promise<Answer<R>>

/**
 * Calls other systems, such as a Git host, before the handler runs. Handlers of repeatable requests run in a
 * transaction, which must not wait for a remote system. A preparation must not change anything.
 */
export type Preparation<R extends Route, Prepared> = (call: Omit<Call<R>, 'afterwards'>) => Promise<Prepared>

/**
 * Serves one operation of the contract: authenticates (401), authorizes (403), validates (400) and serializes. An error
 * that the route does not declare is a bug and becomes a 500.
 */
export function handle<R extends Route, Prepared = undefined>(
  app: App,
  route: R,
  handler: Handler<R, Prepared>,
  prepare?: Preparation<R, Prepared>,
): void {
  const { method, path, permission, response, responseType, otherStatuses = [], maxBodyBytes } = route
  const read = inputReader(route)
  const requestClass = requestClassOf(route)
  const declared = new Set(errorsOf(route))
  const [status, replySchema] = response
  const statuses = hasResponseBody(route) && responseType === undefined ? [status, ...otherStatuses] : []
  const statusesWithBody = statuses.filter((code) => code !== 204)

  app.servedPaths.add(route)
  app.route({
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: { response: Object.fromEntries(statusesWithBody.map((code) => [code, replySchema])) },
    ...(responseType !== undefined && { exposeHeadRoute: false }), // a HEAD request would read the stream to its end
    ...(maxBodyBytes !== undefined && { bodyLimit: maxBodyBytes }),
    onRequest: permission === 'anyone' ? [] : guard(app, route, requestClass),
    onSend: isTagged(route) ? [tagAnswer] : [],
    handler: observed(app, requestClass, async (request, reply) => {
      const input = read(request)
      await yieldForLargeBody(request.rawBody)
      reply.code(status)
      if (responseType !== undefined) reply.type(responseType)
      try {
        const { caller } = request
        const isFollowed = caller !== null && isStream(route)
        if (isFollowed) reply.raw.once('close', app.limits.openStream(caller))
        const db = caller && app.ofOrganization(caller.organizationId, caller.access.hidden, requestClass)
        if (caller && db) await requirePermission(app, route, { input, caller, db })
        if (caller?.isEnding && changesOrganization(route)) throw organizationEnding(caller)
        let left: (() => unknown)[] = []
        const { raw } = reply
        const revoked = isFollowed ? revocationOf(app, route, { input, caller, request, raw }) : undefined
        const call = { ...input, caller, request, reply, revoked, afterwards: (work: () => unknown) => left.push(work) }
        const prepared = (await prepare?.({ ...call, db } as unknown as Call<R>)) as Prepared
        const body = await runWithWorkerResults(caller?.organizationId ?? request.ip, () =>
          onceMoreIfReferred(() => {
            left = []
            return executeIdempotently({ route, request, reply, caller, db }, (tx) =>
              handler({ ...call, db: tx } as unknown as Call<R>, prepared),
            )
          }),
        )
        for (const work of left) await work()
        const answer: unknown = body
        if (revoked && answer instanceof Readable) return untilRevoked(answer, { route, revoked, raw })
        return wantsCsv(route, request) ? sendCsv(route, reply, body) : body
      } catch (error) {
        if (error instanceof ApiError && !declared.has(error.key)) {
          throw new Error(`${route.operationId} refused with ${error.key}, which it does not declare`, { cause: error })
        }
        const { caller } = request
        if (error instanceof ApiError && caller) await app.afterRejection.get(error.key)?.({ caller, request }, error)
        throw error
      }
    }),
  })
}

type Serve = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Records how long each request waits for connections. Admission control uses the delays for later requests. */
const observed =
  ({ limits }: App, requestClass: RequestClass, serve: Serve): Serve =>
  async (request, reply) => {
    const { caller } = request
    if (!caller || !limits.admission) return serve(request, reply)
    const waits: RequestWaits = { since: performance.now(), waitedMs: 0 }
    try {
      return await withRequestWaits(waits, () => serve(request, reply))
    } finally {
      limits.admission.observe(requestClass, caller.organizationId, 'connections', waits.waitedMs)
    }
  }

type Data<R extends Route> = Static<R['response'][1]> extends { data: infer D } ? D : never
type Item<R extends Route> = Data<R> extends readonly (infer I)[] ? I : never

type GetCall = Pick<Call<Route & { permission: 'caller' }>, 'caller' | 'db' | 'request'>

type Get<R extends Route, Row> = {
  find: (db: Db, organizationId: string, id: string) => Promise<Row | undefined>
  notFound: (id: string) => ApiError
  toWire: (row: Row, call: GetCall) => Data<R> | Promise<Data<R>>
}

/** Serves a single record by its id, or responds with the error `notFound`. */
export function handleGet<R extends Route, Row>(app: App, route: R, { find, notFound, toWire }: Get<R, Row>): void {
  handle<Route>(app, route, async (call) => {
    const { params, caller, db, request } = call as unknown as GetCall & { params: { id: string } }
    const row = await find(db, caller.organizationId, params.id)
    if (!row) throw notFound(params.id)
    return { data: await toWire(row, { caller, db, request }) }
  })
}

type List<Query, Row> = (db: Db, organizationId: string, query: Query, page: PageBounds) => Promise<PageRows<Row>>

/** Adapts the query of a list without filters to `handleList`. */
export const unfiltered =
  <Row>(list: (db: Db, organizationId: string, page: PageBounds) => Promise<PageRows<Row>>): List<unknown, Row> =>
  (db, organizationId, _query, page) =>
    list(db, organizationId, page)

/** Serves the pages of a list, with the cursor and the total count in `meta`. */
export function handleList<R extends Route, Row extends { id: string }>(
  app: App,
  route: R,
  list: List<Parsed<R, 'query'>, Row>,
  toWire: (row: Row) => Item<R>,
): void {
  handle<Route>(app, route, async (call) => {
    const { query, caller, db } = call as unknown as { query: Parsed<R, 'query'> & PageQuery; caller: Caller; db: Db }
    const page = app.openPage(route, caller, query)
    return page.reply(await list(db, caller.organizationId, query, page), toWire)
  })
}

/**
 * Retries once after a foreign key violation: a referenced record was deleted, or a record gained a dependent, after
 * the checks. The second attempt finds that in its checks and returns the specific error.
 */
async function onceMoreIfReferred<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    return work()
  }
}

const organizationEnding = ({ organizationId }: Caller): ApiError =>
  new ApiError(
    'organizationEnding',
    `An owner can cancel the deletion: DELETE /organizations/${organizationId}/deletion.`,
  )
