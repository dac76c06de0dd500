import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { ArchiveError } from './archive.ts'

const compress = promisify(gzip)
const expand = promisify(gunzip)

const cipher = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/**
 * Returns a new key for a single object. The key is stored, encrypted, in the row of the object: a key rotation
 * encrypts only rows again, and without its row an object cannot be read.
 */
export const newParcelKey = (): Buffer => randomBytes(32)

/** Compresses and encrypts a text for its object key. Returns IV, tag and data. */
export async function encryptArchiveObject(key: Buffer, objectKey: string, content: string): Promise<Buffer> {
  const iv = randomBytes(ivBytes)
  const closing = createCipheriv(cipher, key, iv).setAAD(Buffer.from(objectKey))
  const data = Buffer.concat([closing.update(await compress(content)), closing.final()])
  return Buffer.concat([iv, closing.getAuthTag(), data])
}

export async function decryptArchiveObject(key: Buffer, objectKey: string, parcel: Buffer): Promise<string> {
  const [iv, rest] = [parcel.subarray(0, ivBytes), parcel.subarray(ivBytes)]
  try {
    const opening = createDecipheriv(cipher, key, iv, { authTagLength: tagBytes })
      .setAAD(Buffer.from(objectKey))
      .setAuthTag(rest.subarray(0, tagBytes))
    const data = Buffer.concat([opening.update(rest.subarray(tagBytes)), opening.final()])
    return (await expand(data)).toString()
  } catch (cause) {
    throw new ArchiveError(`${objectKey} is not as it was written`, { cause })
  }
}
