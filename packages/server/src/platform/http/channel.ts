import type { FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'

/** What a person or a program reaches the service with. */
export type RequestChannel = 'API' | 'CONSOLE' | 'CLI'

/** Whoever asks; somebody who signs in has shown no credential yet. */
type Asking = { caller: Partial<Pick<Caller, 'authSource'>>; request: FastifyRequest }

/**
 * What a request was made with, by its own word: our command line gives its name, a session is a browser's, and a
 * browser that has none yet names the page that it asks from.
 */
export function channelOf({ caller: { authSource }, request: { headers } }: Asking): RequestChannel {
  if (headers['user-agent']?.startsWith('sluice-cli')) return 'CLI'
  if (authSource === 'COOKIE') return 'CONSOLE'
  return authSource === undefined && headers.origin !== undefined ? 'CONSOLE' : 'API'
}
