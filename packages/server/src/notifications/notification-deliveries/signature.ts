import { createHmac, randomBytes } from 'node:crypto'

/** Prefix of Standard Webhooks secrets, followed by the key in base64. */
const prefix = 'whsec_'

/** Generates a secret of 32 random bytes. */
export const newSecret = (): string => prefix + randomBytes(32).toString('base64')

type Signed = { id: string; at: Date; body: string }

/** Returns Standard Webhooks headers with one signature per secret. */
export function signedHeaders(secrets: readonly string[], { id, at, body }: Signed): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000)
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') }
}
