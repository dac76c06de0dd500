import { isSigned, type Secrets, sign } from '../../platform/crypto/keys.ts'

/** URL path prefix of unsubscribe links in mails. */
export const unsubscribePath = '/unsubscribe/'

/** Returns a token that allows its bearer to disable one member's mail. It does not expire. */
export const unsubscribeToken = (secrets: Secrets, channelId: string): string =>
  `${channelId}.${sign(secrets, channelId).toString('base64url')}`

/** Returns the channel id of an unsubscribe token, or undefined if its signature is invalid. */
export function channelIn(secrets: Secrets, token: string): string | undefined {
  const [channelId = '', signature = ''] = token.split('.')
  return isSigned(secrets, channelId, Buffer.from(signature, 'base64url')) ? channelId : undefined
}
