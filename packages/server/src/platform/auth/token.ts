import { hash, randomBytes } from 'node:crypto'

/** Returns a new secret: a prefix that names its use, and 256 random bits in base64url. */
export const newToken = (prefix: string): string => prefix + randomBytes(32).toString('base64url')

/**
 * Returns the stored form of a token: its SHA-256 in hexadecimal. A plain hash is sufficient for 256 random bits, and
 * lookups by it leak nothing through timing.
 */
export const hashOf = (token: string): string => hash('sha256', token, 'hex')
