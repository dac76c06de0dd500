// biome-ignore-all lint/style/noRestrictedGlobals: the service is the one that the user names.
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { removeControlCharacters } from '@sluice/calls/control-characters'
import { type ClientOptions, createClient } from '@sluice/client'
import { type AgentUse, agentHeaders } from '@sluice/contract'
import { userAgentOf } from '@sluice/mcp/agent'
import { createMcpServer } from '@sluice/mcp/server'
import { connectionTo, type UrlOption } from '../calls/connect.ts'
import { version } from '../version.ts'

/**
 * Serves one Model Context Protocol client until it closes stdin. Only the protocol is written to stdout. If the
 * service is unavailable, each call reports that.
 */
export async function runMcp({
  allowActions = false,
  ...where
}: UrlOption & { allowActions?: boolean }): Promise<void> {
  connectionTo(where) // reports an invalid URL or missing key now, not at the first call
  const server = serverOf({ allowActions, connectionOf: (userAgent) => connectionTo(where, userAgent) })
  server.onerror = (error) =>
    void process.stderr.write(`sluice: ${removeControlCharacters(error.message.slice(0, 500))}\n`)
  await server.connect(new StdioServerTransport())
}

type Wishes = { allowActions: boolean; connectionOf(userAgent: string): ClientOptions }

/** Creates the server with tools for an agent, which call the service over HTTP. */
export function serverOf({ allowActions, connectionOf }: Wishes) {
  type Agent = Parameters<typeof userAgentOf>[1]
  const connectionFor = (agent: Agent) => connectionOf(userAgentOf(version, agent))
  return createMcpServer({
    version,
    allowActions,
    clientFor: (agent) => createClient(connectionFor(agent)),
    async record(use, agent) {
      const connection = connectionFor(agent)
      await createClient({ ...connection, fetch: telling(use, connection.fetch) }).getPermissions()
    },
  })
}

/** Returns a fetch function that sends the used tool or resource in a header, for the audit log. */
const telling =
  ({ of, name }: AgentUse, send: typeof fetch = fetch): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set(agentHeaders[of], name)
    return send(input, { ...init, headers })
  }
