import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { SealContext } from './place.ts'

/**
 * Encrypts texts and bytes for their location: after a move to another row, column or organization they cannot be
 * decrypted.
 */
export interface Seal {
  close(place: SealContext, text: string): string
  /** Decrypts a text. Throws if it was changed, moved, or encrypted with an unknown key. */
  open(place: SealContext, sealed: string): string
  closeBytes(place: SealContext, bytes: Buffer): string
  openBytes(place: SealContext, sealed: string): Buffer
  /** Prefix of everything that is encrypted with the newest key. */
  readonly prefix: string
}

const ivBytes = 12
const tagBytes = 16
const cipher = 'aes-256-gcm'

type Key = { id: string; secret: Buffer }

/** Returns a key with its ID, which is visible and must not reveal the key. */
const keyOf = (secret: Buffer): Key => ({
  id: Buffer.from(hkdfSync('sha256', secret, '', 'sluice id of a key', 6)).toString('base64url'),
  secret,
})

/**
 * Creates encryption with AES-256-GCM. The first key encrypts, all decrypt. Two formats, with parts in base64url:
 * - `v2.<key ID>.<iv>.<tag>.<data>`, with the location as associated data: the present format;
 * - `v1.<iv>.<tag>.<data>`, from before 0.3.0, without key and location, which decrypts anywhere. `sluice reseal`
 * converts it.
 */
export function createSeal(secrets: readonly Buffer[]): Seal {
  const keys = secrets.map(keyOf)
  const [newest] = keys
  if (!newest) throw new Error('a seal needs a key')
  const prefix = `v2.${newest.id}.`

  const closeBytes = (place: SealContext, bytes: Buffer): string => {
    const iv = randomBytes(ivBytes)
    const closing = createCipheriv(cipher, newest.secret, iv).setAAD(Buffer.from(place))
    const data = Buffer.concat([closing.update(bytes), closing.final()])
    return prefix + [iv, closing.getAuthTag(), data].map((part) => part.toString('base64url')).join('.')
  }

  const openBytes = (place: SealContext, sealed: string): Buffer => {
    const envelope = readEnvelope(sealed)
    const { keyId } = envelope
    const candidates = keyId === undefined ? keys : keys.filter(({ id }) => id === keyId)
    for (const { secret } of candidates) {
      const opened = tryOpen(secret, envelope, keyId === undefined ? undefined : place)
      if (opened) return opened
    }
    throw new Error(candidates.length === 0 ? unknownKey : notAsSealed)
  }

  return {
    closeBytes,
    openBytes,
    close: (place, text) => closeBytes(place, Buffer.from(text)),
    open: (place, sealed) => openBytes(place, sealed).toString(),
    prefix,
  }
}

const unknownKey =
  'This was sealed with a key that is not among those of SLUICE_ENCRYPTION_KEYS, nor in the file encryption-key. ' +
  'Start with it as a further key.'
const notAsSealed =
  'Values that were encrypted with another key, or changed or moved since, cannot be decrypted. Start with ' +
  'SLUICE_ENCRYPTION_KEYS, SLUICE_ENCRYPTION_KEY or the file encryption-key as it was then.'

type Envelope = { keyId: string | undefined; iv: Buffer; tag: Buffer; data: Buffer }

function readEnvelope(sealed: string): Envelope {
  const [version, ...parts] = sealed.split('.')
  const [keyId, ...rest] = version === 'v2' ? parts : [undefined, ...parts]
  const [iv, tag, data, more] = rest.map((part) => Buffer.from(part ?? '', 'base64url'))
  const isKnown = version === 'v1' || (version === 'v2' && keyId !== undefined)
  if (!isKnown || !iv || !data || more || tag?.length !== tagBytes) throw new Error('this is not an encrypted text')
  return { keyId, iv, tag, data }
}

/** Decrypts an envelope. Returns undefined if this key did not encrypt it for this location. */
function tryOpen(secret: Buffer, { iv, tag, data }: Envelope, place: SealContext | undefined): Buffer | undefined {
  const opening = createDecipheriv(cipher, secret, iv).setAuthTag(tag)
  if (place !== undefined) opening.setAAD(Buffer.from(place))
  try {
    return Buffer.concat([opening.update(data), opening.final()])
  } catch {
    return undefined // the error of the caller says more
  }
}
