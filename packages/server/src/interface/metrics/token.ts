import { createHash, timingSafeEqual } from 'node:crypto'

/** Hashed, so that neither the length nor the time of the comparison tells of the token. */
export const isBearer = (authorization: string | undefined, token: string): boolean =>
  timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
