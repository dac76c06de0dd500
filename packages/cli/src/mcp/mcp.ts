import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { userAgentOf } from '@sluice/mcp/agent'
import { createMcpServer } from '@sluice/mcp/server'
import { connect, type Where } from '../calls/connect.ts'
import { version } from '../version.ts'

/**
 * Serves one client of the Model Context Protocol until it closes stdin. Nothing but the protocol goes to stdout; the
 * service may be away meanwhile, and each call says so.
 */
export async function runMcp({ allowActions = false, ...where }: Where & { allowActions?: boolean }): Promise<void> {
  connect(where) // an address that is none, and a key that is missing, are told now, not at the first call
  const clientFor = (agent: Parameters<typeof userAgentOf>[1]) => connect(where, userAgentOf(version, agent))
  const server = createMcpServer({ version, allowActions, clientFor })
  server.onerror = (error) => void process.stderr.write(`sluice: ${error.message.slice(0, 500)}\n`)
  await server.connect(new StdioServerTransport())
}
