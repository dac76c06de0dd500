import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Makes texts and bytes unreadable to whoever has the database alone. */
export interface Seal {
  close(text: string): string
  /** Throws where the text was changed or sealed with another key. */
  open(sealed: string): string
  closeBytes(bytes: Buffer): string
  openBytes(sealed: string): Buffer
}

const version = 'v1'
const ivBytes = 12
const tagBytes = 16

/**
 * AES-256-GCM; a sealed text is `v1.<iv>.<tag>.<data>` in base64url. The version leaves room for other keys and
 * ciphers.
 */
export function createSeal(key: Buffer): Seal {
  const closeBytes = (bytes: Buffer): string => {
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv('aes-256-gcm', key, iv)
    const data = Buffer.concat([cipher.update(bytes), cipher.final()])
    return [version, ...[iv, cipher.getAuthTag(), data].map((part) => part.toString('base64url'))].join('.')
  }
  const openBytes = (sealed: string): Buffer => {
    const [found, ...parts] = sealed.split('.')
    const [iv, tag, data] = parts.map((part) => Buffer.from(part, 'base64url'))
    if (found !== version || !iv || !data || tag?.length !== tagBytes) throw new Error('this is no sealed text')
    const decipher = createDecipheriv('aes-256-gcm', key, iv)
    decipher.setAuthTag(tag)
    try {
      return Buffer.concat([decipher.update(data), decipher.final()])
    } catch (cause) {
      const remedy = 'Start with SLUICE_ENCRYPTION_KEY, or the file encryption-key, as it was then.'
      throw new Error(`What was sealed with another key, or changed since, cannot be opened. ${remedy}`, { cause })
    }
  }
  return {
    closeBytes,
    openBytes,
    close: (text) => closeBytes(Buffer.from(text)),
    open: (sealed) => openBytes(sealed).toString(),
  }
}
