import { isSigned, type Secrets, sign } from '../../platform/crypto/keys.ts'

/** Where mail that a person is sent can be switched off by whoever has that mail. */
export const unsubscribePath = '/unsubscribe/'

/** Says of a person's mail that its bearer may switch it off, and nothing else. It never ends, like the mail. */
export const unsubscribeToken = (secrets: Secrets, channelId: string): string =>
  `${channelId}.${sign(secrets, channelId).toString('base64url')}`

/** Whose mail the bearer may switch off: the id of its channel; undefined where we have not signed it. */
export function channelIn(secrets: Secrets, token: string): string | undefined {
  const [channelId = '', signature = ''] = token.split('.')
  return isSigned(secrets, channelId, Buffer.from(signature, 'base64url')) ? channelId : undefined
}
