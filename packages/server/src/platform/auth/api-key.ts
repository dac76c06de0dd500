import { hash, randomBytes } from 'node:crypto'

const prefix = 'slc_'

/** How much of a key its owner is shown later, to tell keys apart: too little to guess the rest. */
const hintLength = prefix.length + 4

/** What is stored of a key; the key itself is shown once and forgotten. */
export interface StoredApiKey {
  tokenHash: string
  tokenHint: string
}

/** A new key: `slc_` and 256 random bits in base64url. */
export const newApiKey = (): string => prefix + randomBytes(32).toString('base64url')

/**
 * What to store of a key. A plain SHA-256 is enough for 256 random bits, and looking keys up by it leaks nothing through
 * timing: whoever could steer the comparison would have to invert the hash first.
 */
export const storedApiKey = (key: string): StoredApiKey => ({
  tokenHash: hash('sha256', key, 'hex'),
  tokenHint: key.slice(0, hintLength),
})

/** The key in an authorization header, if there is something like one. */
export function apiKeyIn(authorization: string | undefined): string | undefined {
  return authorization?.match(/^bearer +(slc_[\w-]{16,200})$/i)?.[1]
}
