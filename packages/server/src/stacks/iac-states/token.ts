import { isSigned, type Secrets, sign } from '../../platform/crypto/keys.ts'

/** Claims of a token: it authorizes work on the state of one workspace, for one attempt of a step. */
export type StateClaims = { workspaceId: string; stepExecutionId: string; attemptEpoch: number }

export interface StateTokens {
  issue(claims: StateClaims, now: Date): string
  /** Returns undefined for a forged or expired token. The database knows whether the attempt is still in progress. */
  read(token: string, now: Date): StateClaims | undefined
}

/**
 * Maximum lifetime in milliseconds, as a fallback, because a token expires with its attempt. Longer than any apply,
 * which would lose its result if it could not write its state.
 */
const lifetimeMs = 7 * 86_400_000

/**
 * Creates and verifies tokens of the form `<claims>.<HMAC-SHA-256>` in base64url. Nothing is stored; every process with
 * the same key can verify them.
 */
export function createStateTokens(secrets: Secrets): StateTokens {
  return {
    issue({ workspaceId, stepExecutionId, attemptEpoch }, now) {
      const claims = [workspaceId, stepExecutionId, attemptEpoch, now.getTime() + lifetimeMs]
      const text = Buffer.from(JSON.stringify(claims)).toString('base64url')
      return `${text}.${sign(secrets, text).toString('base64url')}`
    },
    read(token, now) {
      const [text = '', signature = ''] = token.split('.')
      if (!isSigned(secrets, text, Buffer.from(signature, 'base64url'))) return undefined
      const claims: [string, string, number, number] = JSON.parse(Buffer.from(text, 'base64url').toString())
      const [workspaceId, stepExecutionId, attemptEpoch, expiresAt] = claims
      return expiresAt > now.getTime() ? { workspaceId, stepExecutionId, attemptEpoch } : undefined
    },
  }
}

/** Returns the endpoint of a workspace's state for token holders. Its lock is below it. */
export const statePath = (workspaceId: string): string => `/iac-states/${workspaceId}`
