import { randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from './replace-file.ts'

const keyBytes = 32

const fileIn = (directory: string) => join(directory, 'encryption-key')

/**
 * Returns the encryption key of the directory, which is generated once. Without it encrypted values are lost, so a
 * damaged file stops the start and is not replaced.
 */
export async function rememberEncryptionKey(directory: string): Promise<Buffer> {
  const known = await readEncryptionKey(directory)
  if (known) return known
  const key = randomBytes(keyBytes)
  await replaceFile(fileIn(directory), `${key.toString('base64')}\n`)
  return key
}

/** Returns the key in the directory; undefined if there is none. */
export async function readEncryptionKey(directory: string): Promise<Buffer | undefined> {
  const file = fileIn(directory)
  const known = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (known === undefined) return undefined
  const key = Buffer.from(known.trim(), 'base64')
  if (key.length !== keyBytes) {
    throw new Error(`The encryption key in ${file} is damaged: expected ${keyBytes} bytes in base64.`)
  }
  await expectPrivate(file)
  return key
}

/** Rejects a key file that all users of the machine can read. A group may read it, as on volumes. */
async function expectPrivate(file: string): Promise<void> {
  const { mode } = await stat(file)
  if (process.platform === 'win32' || (mode & 0o007) === 0) return
  const octal = (mode & 0o777).toString(8)
  throw new Error(
    `The encryption key in ${file} is open to all users of this machine (mode ${octal}): chmod 600 it. If others may have ` +
      'read it, rotate it: see docs/how-to/secrets.md.',
  )
}
