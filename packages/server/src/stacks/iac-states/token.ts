import { isSigned, type Secrets, sign } from '../../platform/crypto/keys.ts'

/** What a program may do that carries the token: work on the state of one workspace, for one attempt of one step. */
export type StateClaims = { workspaceId: string; stepExecutionId: string; attemptEpoch: number }

export interface StateTokens {
  issue(claims: StateClaims, now: Date): string
  /** Undefined for a token that is forged or too old. Whether the attempt still goes on is for the database to say. */
  read(token: string, now: Date): StateClaims | undefined
}

/**
 * Only the last resort: a token ends with its attempt. Longer than any apply takes, since one that could no longer
 * write its state would lose what it made. Milliseconds.
 */
const lifetimeMs = 7 * 86_400_000

/** Tokens are `<claims>.<HMAC-SHA-256>` in base64url: nothing is stored, every process with the same key reads them. */
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

/** Where the state of a workspace is served to who carries a token, and its lock below it. */
export const statePath = (workspaceId: string): string => `/iac-states/${workspaceId}`
