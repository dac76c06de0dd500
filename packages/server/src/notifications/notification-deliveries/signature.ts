import { createHmac, randomBytes } from 'node:crypto'

/** How secrets begin that Standard Webhooks sign with; what follows is the key in base64. */
const prefix = 'whsec_'

/** A new secret: 32 random bytes. */
export const newSecret = (): string => prefix + randomBytes(32).toString('base64')

type Signed = { id: string; at: Date; body: string }

/** The headers by which a receiver knows that it was us, as Standard Webhooks has them: a signature for each secret. */
export function signedHeaders(secrets: readonly string[], { id, at, body }: Signed): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000)
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') }
}
