import { isSigned, type Secrets, sign } from '../../platform/crypto/keys.ts'
import type { AttemptKey } from '../pipeline-step-executions/present-attempt.ts'

export interface AttemptTokens {
  issue(attempt: AttemptKey): string
  /**
   * Parses a token; returns undefined if it is invalid. The database knows whether the attempt is still in progress.
   */
  read(token: string): AttemptKey | undefined
}

/**
 * Creates and verifies tokens for one attempt of a step: `sla_<attempt>.<HMAC-SHA-256>` in base64url. Nothing is
 * stored; every process with the same key can verify them. They expire with the attempt.
 */
export function createAttemptTokens(secrets: Secrets): AttemptTokens {
  return {
    issue({ organizationId, id, attemptEpoch }) {
      const text = Buffer.from(JSON.stringify([organizationId, id, attemptEpoch])).toString('base64url')
      return `sla_${text}.${sign(secrets, text).toString('base64url')}`
    },
    read(token) {
      const [, text = '', signature = ''] = /^sla_([\w-]+)\.([\w-]+)$/.exec(token) ?? []
      if (!isSigned(secrets, text, Buffer.from(signature, 'base64url'))) return undefined
      const [organizationId, id, attemptEpoch]: [string, string, number] = JSON.parse(
        Buffer.from(text, 'base64url').toString(),
      )
      return { organizationId, id, attemptEpoch }
    },
  }
}
