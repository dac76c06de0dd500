import type { FastifyRequest } from 'fastify'
import type { App } from './app.ts'

/** Returns the public origin of the service: the configured one, otherwise that of the request. */
export const originOf = (
  { publicOrigin }: App,
  { protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>,
): string => publicOrigin ?? `${protocol}://${host}`
