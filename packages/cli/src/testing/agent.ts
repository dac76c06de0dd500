import { Client as Agent } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { onTestFinished } from 'vitest'
import { serverOf } from '../mcp/mcp.ts'

type Where = { url: string; token: string; allowActions?: boolean }

/** Response to an agent: its text, its structured data, and whether it is an error. */
export type ToolResult = { text: string; data: Record<string, unknown>; says: string; isError: boolean }

/** Connects an agent within this process through the protocol's own client. */
export async function connectInProcessAgent({ url, token, allowActions = false }: Where) {
  const server = serverOf({ allowActions, connectionOf: (userAgent) => ({ baseUrl: url, token, userAgent }) })
  const agent = new Agent({ name: 'probe', version: '4.2' })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(ours), agent.connect(theirs)])
  onTestFinished(() => agent.close())
  return { agent, ...callsOf(agent) }
}

/** Connects an agent to the service over HTTP. */
export async function connectHttpAgent({ url, token }: Omit<Where, 'allowActions'>) {
  const headers = { authorization: `Bearer ${token}` }
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
  const agent = new Agent({ name: 'probe', version: '4.2' })
  await agent.connect(transport as Parameters<Agent['connect']>[0])
  onTestFinished(() => agent.close())
  return callsOf(agent)
}

/** Returns functions with which tests call an agent's tools. */
export const callsOf = (agent: Agent) => ({
  names: async () => (await agent.listTools()).tools.map(({ name }) => name),
  call: async (name: string, input: Record<string, unknown> = {}): Promise<ToolResult> => {
    const { content, structuredContent, isError } = await agent.callTool({ name, arguments: input })
    const [first] = content as { text: string }[]
    const { says = '', data = {} } = (structuredContent ?? {}) as Partial<ToolResult>
    return { text: first?.text ?? '', says, data, isError: isError === true }
  },
  read: async (uri: string): Promise<string> => {
    const [first] = (await agent.readResource({ uri })).contents
    return first !== undefined && 'text' in first ? first.text : ''
  },
})

/** Returns the data block at the end of a response. Fails unless there is exactly one. */
export function quotedIn(text: string): string {
  const [, mark, quoted] = /^[^\n]*\n<data (\w{24})>\n([\s\S]*)\n<\/data \1>$/.exec(text) ?? []
  if (mark === undefined || quoted === undefined) throw new Error(`no block in ${text}`)
  if (quoted.includes(mark)) throw new Error(`the mark is in the block of ${text}`)
  return quoted
}
