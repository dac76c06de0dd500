import { hashOf, newToken } from './token.ts'

const prefix = 'slc_'

/** Length of the shown beginning of a key, which distinguishes keys but is too short to guess the rest. */
const hintLength = prefix.length + 4

/** Stored part of a key. The key itself is shown once and not stored. */
export interface StoredApiKey {
  tokenHash: string
  tokenHint: string
}

export const newApiKey = (): string => newToken(prefix)

export const storedApiKey = (key: string): StoredApiKey => ({
  tokenHash: hashOf(key),
  tokenHint: key.slice(0, hintLength),
})

/** Returns the key in an authorization header; undefined if the header has none. */
export function apiKeyIn(authorization: string): string | undefined {
  return authorization.match(/^bearer +(slc_[\w-]{16,200})$/i)?.[1]
}
