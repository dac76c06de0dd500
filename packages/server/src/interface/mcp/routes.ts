// biome-ignore-all lint/style/noRestrictedGlobals: no request leaves: it is answered inside this process.
import { isIP } from 'node:net'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { InitializeRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { createClient } from '@sluice/client'
import { userAgentOf } from '@sluice/mcp/agent'
import { createMcpServer } from '@sluice/mcp/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Secrets } from '../../platform/crypto/keys.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { yieldForLargeBody } from '../../platform/http/body.ts'
import { guard } from '../../platform/http/guard.ts'
import { createAgentSessions, version } from './session.ts'
import { recordUse } from './uses.ts'

type McpParts = { mcpActions: 'off' | 'on'; agentSecrets: Secrets }

/** Timeout of a message, in milliseconds. */
const timeoutMs = 60_000

/**
 * Serves the Model Context Protocol for agents, over streamable HTTP. A tool calls our own operations with the agent's
 * key, so that the same permissions, rate limits and audit apply.
 */
export function serveMcp(app: App, { mcpActions, agentSecrets }: McpParts): void {
  const allowActions = mcpActions === 'on'
  const sessions = createAgentSessions(agentSecrets)

  app.servedPaths.add({ method: 'POST', path: '/mcp' })
  app.route({
    method: 'POST',
    url: '/mcp',
    onRequest: [expectKey, expectSameOrigin, guard(app, { permission: 'caller' })],
    async handler(request, reply) {
      const { body: message, caller } = request
      if (caller === null) throw new Error('the guard lets nobody in without a credential')
      await yieldForLargeBody(request.rawBody)
      if (typeof message !== 'object' || message === null || Array.isArray(message)) {
        throw new ApiError('requestInvalid', 'Send one message of the Model Context Protocol, as a JSON object.')
      }
      const begun = InitializeRequestSchema.safeParse(message)
      const session = begun.success ? sessions.begin(caller, begun.data.params.clientInfo) : undefined
      const userAgent = session?.userAgent ?? nameIn(request, (id) => sessions.find(caller, id))
      if (userAgent === undefined) return sendNoSession(reply)
      const server = createMcpServer({
        version,
        allowActions,
        record: (use) => recordUse(app, { request, caller, use, userAgent }),
        clientFor: () =>
          createClient({ baseUrl: 'http://sluice', userAgent, retry: false, fetch: fetchInside(request, reply) }),
      })
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
      await server.connect(transport)
      try {
        const answer = await transport.handleRequest(asWebRequest(request), { parsedBody: message })
        if (session && answer.ok) reply.header('mcp-session-id', session.id)
        return reply
          .code(answer.status)
          .type(answer.headers.get('content-type') ?? 'application/json')
          .send(await answer.text())
      } finally {
        await server.close()
      }
    },
  })

  /**
   * Returns a fetch function that calls our own operations as the agent. Ends with the agent's request, or after a
   * timeout.
   */
  function fetchInside(request: FastifyRequest, { raw }: FastifyReply): typeof fetch {
    const gone = new AbortController()
    raw.once('close', () => gone.abort())
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(timeoutMs)])
    return async (input, init) => {
      const { pathname, search } = new URL(String(input))
      const { authorization = '', host = '' } = request.headers
      const { statusCode, headers, rawPayload } = await app.inject({
        method: (init?.method ?? 'GET') as 'GET',
        url: pathname + search,
        headers: { ...Object.fromEntries(new Headers(init?.headers)), authorization, host, 'x-request-id': request.id },
        remoteAddress: request.ip,
        signal,
        ...(typeof init?.body === 'string' && { payload: init.body }),
      })
      const told = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
      return new Response(statusCode === 204 ? null : new Uint8Array(rawPayload), { status: statusCode, headers: told })
    }
  }
}

/** Requires an API key. Browser sessions are not accepted, because a page could use those of its visitors. */
async function expectKey({ headers }: FastifyRequest): Promise<void> {
  if (headers.authorization !== undefined) return
  const message = 'Send a valid API key as `Authorization: Bearer <key>`.'
  throw new ApiError('unauthenticated', message, {}, { 'www-authenticate': 'Bearer' })
}

/**
 * Rejects requests of pages from other origins. Without a configured public address, only IP addresses are trusted,
 * because a name could be subject to DNS rebinding.
 */
async function expectSameOrigin({ headers, server, protocol, host }: FastifyRequest): Promise<void> {
  const { origin } = headers
  const { publicOrigin } = server
  if (origin === undefined || origin === publicOrigin) return
  const asCalled = URL.parse(`${protocol}://${host}`)
  const name = asCalled?.hostname.replace(/^\[|\]$/g, '') ?? ''
  const cannotBeRebound = name === 'localhost' || isIP(name) > 0
  if (publicOrigin === undefined && cannotBeRebound && asCalled?.origin === origin) return
  throw new ApiError('forbidden', 'Requests from pages of other sites are rejected.')
}

/** Returns the name of the agent's program: unknown without a session, undefined for an invalid session. */
function nameIn({ headers }: FastifyRequest, find: (id: string) => string | undefined): string | undefined {
  const id = headers['mcp-session-id']
  return id === undefined ? userAgentOf(version, undefined) : find(String(id))
}

/** Sends the response that tells a client to start a new session. */
const sendNoSession = (reply: FastifyReply) =>
  reply.code(404).send({ jsonrpc: '2.0', error: { code: -32_001, message: 'Session not found' }, id: null })

/** Converts the request, with the headers that the protocol reads. */
function asWebRequest({ headers }: FastifyRequest): Request {
  const told = new Headers()
  for (const name of ['accept', 'content-type', 'mcp-protocol-version']) {
    const value = headers[name]
    if (value !== undefined) told.set(name, String(value))
  }
  return new Request('http://sluice/mcp', { method: 'POST', headers: told })
}
