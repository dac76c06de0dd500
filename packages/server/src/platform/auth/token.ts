import { hash, randomBytes } from 'node:crypto'

/** A new secret that is shown once: a prefix that says what it opens, and 256 random bits in base64url. */
export const newToken = (prefix: string): string => prefix + randomBytes(32).toString('base64url')

/**
 * What is stored of a token: its SHA-256, hexadecimal. That is enough for 256 random bits, and looking tokens up by it
 * leaks nothing through timing: whoever could steer the comparison would have to invert the hash first.
 */
export const hashOf = (token: string): string => hash('sha256', token, 'hex')
