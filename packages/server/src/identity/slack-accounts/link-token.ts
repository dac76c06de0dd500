import { isSigned, type Secrets, sign } from '../../platform/crypto/keys.ts'
import type { SlackPerson } from './store.ts'

/** Claims of a link token: Slack account, organization and expiry. */
export type SlackLinkClaims = SlackPerson & { organizationId: string; expiresAt: string }

/** Lifetime of a link, in milliseconds. */
export const linkLifetimeMs = 10 * 60_000

/** Signs a token that proves control of a Slack account. The user who opens the link is linked to that account. */
export function slackLinkToken(secrets: Secrets, claims: SlackLinkClaims): string {
  const encoded = Buffer.from(JSON.stringify(claims)).toString('base64url')
  return `${encoded}.${sign(secrets, encoded).toString('base64url')}`
}

/** Verifies a link token. Returns undefined if its signature is invalid or it has expired. */
export function claimsIn(secrets: Secrets, token: string, now: Date): SlackLinkClaims | undefined {
  const [said = '', signature = ''] = token.split('.')
  if (!isSigned(secrets, said, Buffer.from(signature, 'base64url'))) return undefined
  const claims: SlackLinkClaims = JSON.parse(Buffer.from(said, 'base64url').toString())
  return new Date(claims.expiresAt) > now ? claims : undefined
}
