import type { FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'

/** What a person or a program reaches the service with. */
export type Channel = 'API' | 'CONSOLE' | 'CLI'

/** What a request was made with, by its own word: a session is a browser's, and our command line gives its name. */
export function channelOf({ caller, request }: { caller: Caller; request: FastifyRequest }): Channel {
  if (request.headers['user-agent']?.startsWith('sluice-cli')) return 'CLI'
  return caller.authSource === 'COOKIE' ? 'CONSOLE' : 'API'
}
