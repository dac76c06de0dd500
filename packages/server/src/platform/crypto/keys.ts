import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'

/** What keys are used for; each use has secrets of its own. */
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

/** The encryption keys of an installation, the newest first: it seals and signs, all of them open and are believed. */
export type Keys = {
  /** A secret of 32 bytes from each key: every process with the same keys has the same ones. */
  secretsFor(purpose: KeyPurpose): Secrets
}

/** The newest first. */
export type Secrets = readonly [Buffer, ...Buffer[]]

export function createKeys([newest, ...older]: Secrets): Keys {
  const derive = (key: Buffer, purpose: KeyPurpose) => Buffer.from(hkdfSync('sha256', key, '', `sluice ${purpose}`, 32))
  return { secretsFor: (purpose) => [derive(newest, purpose), ...older.map((key) => derive(key, purpose))] }
}

/** HMAC-SHA-256 with the newest of the secrets. */
export const sign = ([newest]: Secrets, text: string): Buffer => signatureOf(newest, text)

/** Whether one of the secrets has signed the text: what was signed before the keys were rotated is still believed. */
export const isSigned = (secrets: Secrets, text: string, signature: Buffer): boolean =>
  secrets.some((secret) => {
    const right = signatureOf(secret, text)
    return signature.length === right.length && timingSafeEqual(signature, right)
  })

const signatureOf = (secret: Buffer, text: string): Buffer =>
  createHmac('sha256', keyObjectOf(secret)).update(text).digest()

/** Node takes 4 µs to sign with a key object and 19 with the bytes, of which it makes one each time. */
const keyObjects = new WeakMap<Buffer, KeyObject>()

function keyObjectOf(secret: Buffer): KeyObject {
  const known = keyObjects.get(secret)
  if (known) return known
  const made = createSecretKey(secret)
  keyObjects.set(secret, made)
  return made
}
