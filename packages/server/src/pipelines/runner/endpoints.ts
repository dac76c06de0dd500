import { expectBounds, type JsonBounds, JsonBoundsError, messageBounds } from '@sluice/contract/bounded-json'
import { parseExactJson } from '@sluice/contract/exact-json'
import type { RunnerPath } from '@sluice/contract/runner-protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { App } from '../../platform/http/app.ts'
import { faultsOf } from '../../platform/http/faults.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import { StepFailure } from './step-failure.ts'

/** Status that tells a runner to fail its step with the error in the body. */
const stepFailed = 422

/** Endpoint for runners. It is not an operation of the public API, like the state backend. */
export type RunnerEndpoint<Who, Body extends TSchema> = {
  path: RunnerPath
  body: Body
  /** Maximum size in bytes; 1 MiB by default. */
  bodyLimit?: number
  /** `messageBounds` by default. */
  bounds?: JsonBounds
  /** Authenticates a token. Called before the body is read, so that unauthenticated clients cannot occupy memory. */
  whoIs: (token: string) => Promise<Who>
  answer: (who: Who, body: Static<Body>, reply: FastifyReply) => Promise<object | undefined>
}

/** Serves endpoints for runners. Their bodies are JSON and parsed without coercion. */
export function serveEndpoints(
  app: App,
  open: (add: <Who, Body extends TSchema>(door: RunnerEndpoint<Who, Body>) => void) => void,
) {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'string' },
      async (_request: unknown, body: string) => body,
    )
    open((door) => serveEndpoint(app, scope, door))
  })
}

function serveEndpoint<Who, Body extends TSchema>(
  app: App,
  scope: FastifyInstance,
  door: RunnerEndpoint<Who, Body>,
): void {
  const { path, whoIs, answer, bodyLimit = 1024 * 1024, bounds = messageBounds } = door
  const schema = Compile(door.body)
  const callers = new WeakMap<FastifyRequest, Who>()
  app.servedPaths.add({ method: 'POST', path })
  scope.route({
    method: 'POST',
    url: path,
    bodyLimit,
    onRequest: async (request) => {
      const [, token = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
      callers.set(request, await whoIs(token))
    },
    handler: async (request, reply) => {
      const who = callers.get(request)
      if (who === undefined) throw new Error('the caller is not known')
      const body = parsed(request.body, bounds)
      const faults = faultsOf(schema, body)
      if (faults.length > 0) throw bodyInvalid(faults)
      try {
        return (await answer(who, body as Static<Body>, reply)) ?? {}
      } catch (error) {
        if (!(error instanceof StepFailure)) throw error
        reply.code(stepFailed)
        return error.toError()
      }
    },
  })
}

function parsed(body: unknown, bounds: JsonBounds): unknown {
  if (typeof body !== 'string') return undefined
  try {
    expectBounds(body, bounds)
    return parseExactJson(body)
  } catch (error) {
    const what =
      error instanceof JsonBoundsError ? error.message : `no JSON: ${error instanceof Error ? error.message : error}`
    throw bodyInvalid([`$: ${what}`])
  }
}
