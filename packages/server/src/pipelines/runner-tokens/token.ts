import { hashOf, newToken } from '../../platform/auth/token.ts'

const prefix = 'slr_'

/** Number of characters of a token in its hint: too few to guess the rest. */
const hintLength = prefix.length + 4

export const newRunnerToken = (): string => newToken(prefix)

/** Returns the stored properties of a token. The token itself is returned once and not stored. */
export const storedRunnerToken = (token: string) => ({
  tokenHash: hashOf(token),
  tokenHint: token.slice(0, hintLength),
})
