import { type Access, commonRefusals, type RefusalKey, type Route } from '@sluice/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { type Caller, mayDo } from '../auth/caller.ts'
import type { App } from './app.ts'
import { inputReader } from './input.ts'
import { Refusal } from './refusal.ts'

type Parsed<R extends Route, Part extends 'params' | 'query' | 'body'> =
  R extends Record<Part, infer S extends TSchema> ? Static<S> : Record<never, never>

/** A request that passed every check of its route. */
export interface Call<R extends Route> {
  params: Parsed<R, 'params'>
  query: Parsed<R, 'query'>
  body: Parsed<R, 'body'>
  caller: R['needs'] extends 'anyone' ? null : Caller
  request: FastifyRequest
  reply: FastifyReply
}

export type Handler<R extends Route> = (call: Call<R>) => Promise<Static<R['reply'][1]>>

/**
 * Serves one operation of the contract: who may call (401, 403), what may be sent (400), what comes back. A refusal that
 * the route does not declare is a bug and answered as one.
 */
export function handle<R extends Route>(app: App, route: R, handler: Handler<R>): void {
  const { method, path, needs, reply, alsoReplies = [] } = route
  const read = inputReader(route)
  const declared = new Set<RefusalKey>([...commonRefusals, ...route.refuses])
  const [status, replySchema] = reply

  app.servedPaths.add(route)
  app.route({
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: { response: Object.fromEntries([status, ...alsoReplies].map((code) => [code, replySchema])) },
    onRequest: needs === 'anyone' ? [] : guard(app, needs),
    async handler(request, reply) {
      const input = read(request)
      reply.code(status)
      try {
        return await handler({ ...input, caller: request.caller, request, reply } as Call<R>)
      } catch (error) {
        if (error instanceof Refusal && !declared.has(error.key)) {
          throw new Error(`${route.operationId} refused with ${error.key}, which it does not declare`, { cause: error })
        }
        throw error
      }
    },
  })
}

/** Runs before the body is read: a stranger cannot make us parse anything. */
const guard = (app: App, needs: Exclude<Access, 'anyone'>) => async (request: FastifyRequest, reply: FastifyReply) => {
  request.caller = (await app.authenticate(request.headers.authorization)) ?? null
  if (!request.caller) {
    reply.header('www-authenticate', 'Bearer')
    throw new Refusal('unauthenticated', 'Send a valid API key as `Authorization: Bearer <key>`.')
  }
  if (needs !== 'caller' && !mayDo(request.caller, needs)) {
    throw new Refusal('forbidden', `The role ${request.caller.role} lacks the permission ${needs}.`)
  }
}
