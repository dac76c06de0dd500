import { hashOf, newToken } from './token.ts'

const prefix = 'slc_'

/** How much of a key its owner is shown later, to tell keys apart: too little to guess the rest. */
const hintLength = prefix.length + 4

/** What is stored of a key; the key itself is shown once and forgotten. */
export interface StoredApiKey {
  tokenHash: string
  tokenHint: string
}

export const newApiKey = (): string => newToken(prefix)

export const storedApiKey = (key: string): StoredApiKey => ({
  tokenHash: hashOf(key),
  tokenHint: key.slice(0, hintLength),
})

/** The key in an authorization header, if there is something like one. */
export function apiKeyIn(authorization: string): string | undefined {
  return authorization.match(/^bearer +(slc_[\w-]{16,200})$/i)?.[1]
}
