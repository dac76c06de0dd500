import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * Reports whether the header has the token. Compares hashes, so that neither the length nor the duration reveals the
 * token.
 */
export const isBearer = (authorization: string | undefined, token: string): boolean =>
  timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
