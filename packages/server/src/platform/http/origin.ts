import type { FastifyRequest } from 'fastify'
import type { App } from './app.ts'

/** Our own origin as browsers name it: as the operator says, else as the request came. */
export const originOf = (
  { publicOrigin }: App,
  { protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>,
): string => publicOrigin ?? `${protocol}://${host}`
