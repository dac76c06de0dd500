import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'

/** Uses of keys. Each use has its own secrets. */
export type KeyPurpose =
  | 'agents'
  | 'answers'
  | 'archive'
  | 'attempts'
  | 'audit heads'
  | 'builds'
  | 'cursors'
  | 'default values'
  | 'fingerprint'
  | 'git hosts'
  | 'git states'
  | 'identity providers'
  | 'notification channels'
  | 'releases'
  | 'runners'
  | 'sign-ins'
  | 'slack links'
  | 'state tokens'
  | 'tasks'
  | 'unsubscribing'

/** Encryption keys of an installation, the newest first. The newest encrypts and signs; all decrypt and verify. */
export type Keys = {
  /** Returns a secret of 32 bytes for each key, the same in every process with these keys. */
  secretsFor(purpose: KeyPurpose): Secrets
}

/** Secrets, the newest first. */
export type Secrets = readonly [Buffer, ...Buffer[]]

export function createKeys([newest, ...older]: Secrets): Keys {
  const derive = (key: Buffer, purpose: KeyPurpose) => Buffer.from(hkdfSync('sha256', key, '', `sluice ${purpose}`, 32))
  return { secretsFor: (purpose) => [derive(newest, purpose), ...older.map((key) => derive(key, purpose))] }
}

/** Returns the HMAC-SHA-256 of a text with the newest secret. */
export const sign = ([newest]: Secrets, text: string): Buffer => signatureOf(newest, text)

/** Reports whether any of the secrets signed the text, also one from before a key rotation. */
export const isSigned = (secrets: Secrets, text: string, signature: Buffer): boolean =>
  secrets.some((secret) => {
    const right = signatureOf(secret, text)
    return signature.length === right.length && timingSafeEqual(signature, right)
  })

const signatureOf = (secret: Buffer, text: string): Buffer =>
  createHmac('sha256', keyObjectOf(secret)).update(text).digest()

/** Cached key objects. Signing takes 4 µs with one, and 19 µs with bytes, from which Node creates one each time. */
const keyObjects = new WeakMap<Buffer, KeyObject>()

function keyObjectOf(secret: Buffer): KeyObject {
  const known = keyObjects.get(secret)
  if (known) return known
  const made = createSecretKey(secret)
  keyObjects.set(secret, made)
  return made
}
