import type { FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'

/** What a person, a program or an agent reaches the service with. */
export type RequestChannel = 'API' | 'CONSOLE' | 'CLI' | 'AGENT' | 'SLACK'

/** Whoever asks; somebody who signs in has shown no credential yet. */
type Asking = { caller: Partial<Pick<Caller, 'authSource' | 'through'>>; request: FastifyRequest }

/**
 * What a request was made with, by its own word: our command line and our tools for agents give their names, a session
 * is a browser's, and a browser that has none yet names the page that it asks from. It is written down, and gives
 * nobody a right.
 */
export function channelOf({ caller: { authSource, through }, request: { headers } }: Asking): RequestChannel {
  if (through !== undefined) return through
  if (headers['user-agent']?.startsWith('sluice-cli')) return 'CLI'
  if (headers['user-agent']?.startsWith('sluice-mcp/')) return 'AGENT'
  if (authSource === 'COOKIE') return 'CONSOLE'
  return authSource === undefined && headers.origin !== undefined ? 'CONSOLE' : 'API'
}

/**
 * The same as runs and deployments tell it: they know no agents, which come by the API, and nothing begins in Slack.
 */
export function triggerSourceOf(asking: Asking): Exclude<RequestChannel, 'AGENT' | 'SLACK'> {
  const channel = channelOf(asking)
  return channel === 'AGENT' || channel === 'SLACK' ? 'API' : channel
}
