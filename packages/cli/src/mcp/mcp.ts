// biome-ignore-all lint/style/noRestrictedGlobals: the service is the one that the user names.
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { type ClientOptions, createClient } from '@sluice/client'
import { type AgentUse, agentHeaders } from '@sluice/contract'
import { userAgentOf } from '@sluice/mcp/agent'
import { createMcpServer } from '@sluice/mcp/server'
import { connectionTo, type Where } from '../calls/connect.ts'
import { version } from '../version.ts'

/**
 * Serves one client of the Model Context Protocol until it closes stdin. Nothing but the protocol goes to stdout; the
 * service may be away meanwhile, and each call says so.
 */
export async function runMcp({ allowActions = false, ...where }: Where & { allowActions?: boolean }): Promise<void> {
  connectionTo(where) // an address that is none, and a key that is missing, are told now, not at the first call
  const server = serverOf({ allowActions, connectionOf: (userAgent) => connectionTo(where, userAgent) })
  server.onerror = (error) => void process.stderr.write(`sluice: ${error.message.slice(0, 500)}\n`)
  await server.connect(new StdioServerTransport())
}

type Wishes = { allowActions: boolean; connectionOf(userAgent: string): ClientOptions }

/** The tools, for an agent beside this program: they ask the service over HTTP. */
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

/** Requests that tell what is used. */
const telling =
  ({ of, name }: AgentUse, send: typeof fetch = fetch): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set(agentHeaders[of], name)
    return send(input, { ...init, headers })
  }
