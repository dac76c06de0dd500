import { isSigned, type Secrets, sign } from '../../platform/crypto/keys.ts'
import type { SlackPerson } from './store.ts'

/** What a link says: which account at Slack may be linked in which organization, and until when. */
export type SlackLinkClaims = SlackPerson & { organizationId: string; expiresAt: string }

/** Long enough to sign in here, too short to be found later. Milliseconds. */
export const linksLiveMs = 10 * 60_000

/** Says of an account at Slack that whoever has it pressed a button; who that is here, the bearer says. */
export function slackLinkToken(secrets: Secrets, claims: SlackLinkClaims): string {
  const said = Buffer.from(JSON.stringify(claims)).toString('base64url')
  return `${said}.${sign(secrets, said).toString('base64url')}`
}

/** What a link says; undefined where we have not signed it, or it counts no more. */
export function claimsIn(secrets: Secrets, token: string, now: Date): SlackLinkClaims | undefined {
  const [said = '', signature = ''] = token.split('.')
  if (!isSigned(secrets, said, Buffer.from(signature, 'base64url'))) return undefined
  const claims: SlackLinkClaims = JSON.parse(Buffer.from(said, 'base64url').toString())
  return new Date(claims.expiresAt) > now ? claims : undefined
}
