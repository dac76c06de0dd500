import { hashOf, newToken } from '../../platform/auth/token.ts'

const prefix = 'slr_'

/** How much of a token is shown later, to tell tokens apart: too little to guess the rest. */
const hintLength = prefix.length + 4

export const newRunnerToken = (): string => newToken(prefix)

/** What is stored of a token; the token itself is shown once and forgotten. */
export const storedRunnerToken = (token: string) => ({
  tokenHash: hashOf(token),
  tokenHint: token.slice(0, hintLength),
})
