import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from './replace-file.ts'

const keyBytes = 32

const fileIn = (directory: string) => join(directory, 'encryption-key')

/**
 * The key that secrets at rest are encrypted with where no other is configured. Generated once and kept; without it
 * what was encrypted is lost, so a damaged file stops the start instead of being replaced.
 */
export async function rememberEncryptionKey(directory: string): Promise<Buffer> {
  const known = await readEncryptionKey(directory)
  if (known) return known
  const key = randomBytes(keyBytes)
  await replaceFile(fileIn(directory), `${key.toString('base64')}\n`)
  return key
}

/** The key that is kept in the directory; undefined where there is none. */
export async function readEncryptionKey(directory: string): Promise<Buffer | undefined> {
  const file = fileIn(directory)
  const known = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (known === undefined) return undefined
  const key = Buffer.from(known.trim(), 'base64')
  if (key.length === keyBytes) return key
  throw new Error(`The encryption key in ${file} is damaged: expected ${keyBytes} bytes in base64.`)
}
