import type { FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'

/** Type of client that sent a request. */
export type RequestChannel = 'API' | 'CONSOLE' | 'CLI' | 'AGENT' | 'SLACK'

/** Request and its caller; during sign-in the caller has no credential yet. */
type Asking = { caller: Partial<Pick<Caller, 'authSource' | 'through'>>; request: FastifyRequest }

/**
 * Returns the type of client that sent a request. The CLI and the MCP server identify themselves by `User-Agent`,
 * browsers by session cookie or `Origin`. Clients can forge it: it is recorded but grants no permission.
 */
export function channelOf({ caller: { authSource, through }, request: { headers } }: Asking): RequestChannel {
  if (through !== undefined) return through
  if (headers['user-agent']?.startsWith('sluice-cli')) return 'CLI'
  if (headers['user-agent']?.startsWith('sluice-mcp/')) return 'AGENT'
  if (authSource === 'COOKIE') return 'CONSOLE'
  return authSource === undefined && headers.origin !== undefined ? 'CONSOLE' : 'API'
}

/** Returns the channel as runs and deployments record it: requests from agents and Slack count as `API`. */
export function triggerSourceOf(asking: Asking): Exclude<RequestChannel, 'AGENT' | 'SLACK'> {
  const channel = channelOf(asking)
  return channel === 'AGENT' || channel === 'SLACK' ? 'API' : channel
}
